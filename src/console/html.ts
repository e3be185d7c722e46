/** Text as it may stand in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Paragraphs, code and emphasis: what the descriptions of the contract use of Markdown. */
export function renderText(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${renderInline(paragraph)}</p>`)
    .join('\n');
}

/** One line of the same. */
export function renderInline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
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
