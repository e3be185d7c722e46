import { escapeHtml } from '../../html.ts';
import { renderStatus } from '../markup.ts';
import { renderBlock } from './block.ts';
import { renderFetch } from './fetch.ts';
import { renderPython } from './python.ts';
import { renderCurl, type ApiRequest } from './request.ts';
import type { Language } from './highlight.ts';
import { indentJson, isJson } from './json-text.ts';

/** The languages of the samples, in the order of the language switch. */
export const sampleLanguages = {
  curl: { label: 'curl', highlighted: 'shell' },
  typescript: { label: 'TypeScript', highlighted: 'typescript' },
  fetch: { label: 'fetch', highlighted: 'typescript' },
  python: { label: 'Python', highlighted: 'python' },
} as const satisfies Record<string, { label: string; highlighted: Language }>;

export type SampleLanguage = keyof typeof sampleLanguages;

export interface Shown {
  code: string;
  /** What the code prints, or the body of the response. */
  prints: string;
}

export interface CodeSample extends Record<SampleLanguage, Shown> {
  /** The status of the response. Without it, the output is plain text and not a body. */
  status?: string | undefined;
}

/** A request in every language, and the matching call of the client, if there is one. */
export function toSample(request: ApiRequest, status: string, prints: string, client?: Shown): CodeSample {
  const fetch = { code: renderFetch(request), prints };
  return {
    status,
    curl: { code: renderCurl(request), prints },
    typescript: client ?? fetch,
    fetch,
    python: { code: renderPython(request), prints },
  };
}

/** A sample in every language. The script shows one language at a time. */
export function renderSample(sample: CodeSample, title: string): string {
  const figures = Object.entries(sampleLanguages).map(([language, { label, highlighted }]) => {
    const { code, prints } = sample[language as SampleLanguage];
    const isResponse = sample.status !== undefined && language !== 'typescript';
    const text = prints === '' ? 'No body' : indentJson(prints);
    return `<figure data-language="${language}">
${renderBlock({ text: code, language: highlighted, title: label, label: `${title} with ${label}` })}
${renderBlock({
  text,
  language: isJson(text) ? 'json' : 'text',
  title: isResponse ? `Response ${renderStatus(escapeHtml(sample.status ?? ''))}` : 'Output',
  label: `${isResponse ? 'Response to' : 'Output of'} ${title} with ${label}`,
  className: 'result',
})}</figure>`;
  });
  return `<div class="samples">${figures.join('\n')}</div>`;
}
