import { escapeHtml } from '../html.ts';
import { indentJson, renderCurl, tokensOf, type ApiRequest } from './code.ts';
import { renderStatus } from './markup.ts';

/** The languages of the samples, in the order of the language switch. */
export const sampleLanguages = { curl: 'curl', typescript: 'TypeScript' } as const;

export interface Shown {
  code: string;
  /** What the code prints, or the body of the response. */
  prints: string;
}

export interface CodeSample extends Partial<Record<keyof typeof sampleLanguages, Shown>> {
  /** The status of the response to curl. Without it, the output is plain text and not a body. */
  status?: string;
}

/** A request with curl, and the matching call of the client, if there is one. */
export function toSample(request: ApiRequest, status: string, prints: string, client?: Shown): CodeSample {
  return { status, curl: { code: renderCurl(request), prints }, ...(client && { typescript: client }) };
}

/** A sample in every language. The script shows one language at a time. */
export function renderSample({ status, ...sample }: CodeSample, title: string): string {
  const figures = Object.entries(sample).map(([language, { code, prints }]) => {
    const label = sampleLanguages[language as keyof typeof sample];
    const isResponse = status !== undefined && language === 'curl';
    return `<figure data-language="${language}">
${renderBlock({ text: code, title: label, label: `${title} with ${label}` })}
${renderBlock({
  text: prints === '' ? 'No body' : indentJson(prints),
  title: isResponse ? `Response ${renderStatus(status)}` : 'Output',
  label: `${isResponse ? 'Response to' : 'Output of'} ${title} with ${label}`,
  className: 'result',
})}</figure>`;
  });
  return `<div class="samples">${figures.join('\n')}</div>`;
}

interface CodeBlock {
  text: string;
  /** HTML, shown above the code. */
  title: string;
  /** For screen readers. */
  label: string;
  className?: string;
}

/** Code that can be scrolled by keyboard. The script adds a copy button. */
export function renderBlock({ text, title, label, className = '' }: CodeBlock): string {
  const code = tokensOf(text).map(({ kind, text: part }) =>
    kind === undefined ? escapeHtml(part) : `<span class="t-${kind}">${escapeHtml(part)}</span>`,
  );
  return `<div class="block ${className}"><div class="block-head"><span>${title}</span></div>
<pre tabindex="0" aria-label="${escapeHtml(label)}"><code>${code.join('')}</code></pre></div>`;
}

export function renderCommand(text: string): string {
  return renderBlock({ text, title: 'Shell', label: 'Command' });
}
