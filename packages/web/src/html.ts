/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface HtmlDocument {
  title: string;
  description: string;
  /** Its script and style sheet are `{name}.js` and `{name}.css`. */
  name: 'console' | 'docs';
  body: string;
}

/** A whole document. Its addresses are relative, so that it works under any path of a proxy. */
export function renderHtml(
  { title, description, name, body }: HtmlDocument,
  addresses: Record<string, string>,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${addresses['icon.svg']}" type="image/svg+xml">
<link rel="stylesheet" href="${addresses[`${name}.css`]}">
<script type="module" src="${addresses[`${name}.js`]}"></script>
</head>
<body>
${body}
</body>
</html>
`;
}

/** The console before its script runs. */
export function renderConsole(addresses: Record<string, string>): string {
  const body = `<div id="app"></div>
<noscript>The console needs JavaScript. The <a href="docs">API reference</a> does not.</noscript>`;
  return renderHtml(
    { title: 'Petstore', description: 'The pets in the store.', name: 'console', body },
    addresses,
  );
}
