/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders the Markdown of the contract's descriptions: paragraphs, code and emphasis. */
export function renderText(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${renderInline(paragraph)}</p>`)
    .join('\n');
}

/** Renders the Markdown of one paragraph. */
export function renderInline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** A block of code that the keyboard can scroll. */
export function renderCode(text: string, label = 'Example'): string {
  return `<pre tabindex="0" aria-label="${label}"><code>${escapeHtml(text)}</code></pre>`;
}

/** An HTTP status in the colour of its class. */
export function renderStatus(status: number | string): string {
  return `<span class="code c${String(status).charAt(0)}">${status}</span>`;
}

/** A list of terms with their descriptions, both HTML. */
export function renderTerms(entries: [term: string, description: string][], className = 'terms'): string {
  const items = entries.map(
    ([term, description]) => `<div class="item"><dt>${term}</dt><dd>${description}</dd></div>`,
  );
  return `<dl class="${className}">${items.join('\n')}</dl>`;
}

export interface HtmlDocument {
  title: string;
  description: string;
  /** Its script and style sheet are `{name}.js` and `{name}.css`. */
  name: 'console' | 'docs';
  body: string;
  /** True when the service offers the experimental operations: the script reads it from the root element. */
  isExperimental?: boolean;
}

/** A whole document. Its addresses are relative, so that it works under any path of a proxy. */
export function renderHtml(
  { title, description, name, body, isExperimental = false }: HtmlDocument,
  addresses: Record<string, string>,
): string {
  return `<!doctype html>
<html lang="en"${isExperimental ? ' data-experimental' : ''}>
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

export interface ConsoleFeatures {
  /** True when the service offers the experimental operations. */
  experimental: boolean;
}

/** The console before its script runs. */
export function renderConsole(addresses: Record<string, string>, { experimental }: ConsoleFeatures): string {
  const body = `<div id="app"></div>
<noscript>The console needs JavaScript. The <a href="docs">API reference</a> does not.</noscript>`;
  return renderHtml(
    {
      title: 'Petstore',
      description: 'The pets in the store.',
      name: 'console',
      body,
      isExperimental: experimental,
    },
    addresses,
  );
}
