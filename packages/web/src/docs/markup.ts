import { escapeHtml } from '../html.ts';

/** Renders the Markdown of the contract's descriptions: paragraphs, code, emphasis and links. */
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
  return escapeHtml(text.trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\((https?:[^)\s]+|#[\w-]+)\)/g, '<a href="$2">$1</a>');
}

/** A heading that links to its section. The style sheet shows a mark after it. */
export function renderHeading(level: 2 | 3, id: string, title: string, marks = ''): string {
  return `<h${level}><a class="anchor" href="#${id}">${escapeHtml(title)}</a>${marks}</h${level}>`;
}

/** An HTTP status in the colour of its class. */
export function renderStatus(status: number | string): string {
  return `<span class="code c${String(status).charAt(0)}">${status}</span>`;
}

export interface Term {
  /** HTML. */
  term: string;
  /** HTML. */
  description: string;
  id?: string;
}

/** A list of terms with their descriptions. */
export function renderTerms(terms: Term[], className = 'terms'): string {
  const items = terms.map(({ term, description, id }) => {
    const anchor = id === undefined ? '' : ` id="${escapeHtml(id)}"`;
    return `<div class="item"${anchor}><dt>${term}</dt><dd>${description}</dd></div>`;
  });
  return `<dl class="${className}">${items.join('\n')}</dl>`;
}
