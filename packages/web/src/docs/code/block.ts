import { escapeHtml } from '../../html.ts';
import { tokensOf, type Language } from './highlight.ts';

export interface CodeBlock {
  text: string;
  language: Language;
  /** HTML, shown above the code. */
  title: string;
  /** For screen readers. */
  label: string;
  className?: string;
}

/** Code that can be scrolled by keyboard. The script adds a copy button. */
export function renderBlock({ text, language, title, label, className = '' }: CodeBlock): string {
  const code = tokensOf(text, language).map(({ kind, text: part }) =>
    kind === undefined ? escapeHtml(part) : `<span class="t-${kind}">${escapeHtml(part)}</span>`,
  );
  return `<div class="block ${className}"><div class="block-head"><span>${title}</span></div>
<pre tabindex="0" aria-label="${escapeHtml(label)}"><code>${code.join('')}</code></pre></div>`;
}

export function renderCommand(text: string): string {
  return renderBlock({ text, language: 'shell', title: 'Shell', label: 'Command' });
}
