/** Text as it may stand in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface HtmlPage {
  title: string;
  description: string;
  script: string;
  styleSheet: string;
  icon: string;
  body: string;
}

/** A whole page. Its addresses are relative, so that it works behind a proxy that serves it under another path. */
export function htmlPage({ title, description, script, styleSheet, icon, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${styleSheet}">
<script type="module" src="${script}"></script>
</head>
<body>
${body}
</body>
</html>
`;
}
