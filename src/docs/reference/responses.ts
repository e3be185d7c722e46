import { escapeHtml } from '../../../packages/console/src/html.ts';
import { renderBlock } from '../code/block.ts';
import { indentJson } from '../../../packages/console/src/docs/code/json-text.ts';
import { examplesOf, type DocumentedResponse, type Header, type NamedExample } from '../contract.ts';
import { renderInline, renderStatus, renderTerms } from '../markup.ts';

type Headers = Record<string, Header>;

/** Each status with its examples, its error codes and its headers. What all of them carry comes once, at the end. */
export function renderResponses(responses: Record<string, DocumentedResponse>): string {
  const shared = sharedHeaders(Object.values(responses));
  const items = Object.entries(responses).map(([status, { description, headers = {}, content }]) => {
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in shared)));
    return `<details><summary>${renderStatus(status)} <span>${renderInline(description)}</span></summary>
<div class="folded">${examplesOf(content).map(renderExample).join('\n')}${renderHeaders('Headers', own)}</div></details>`;
  });
  const everywhere = renderHeaders('', shared);
  if (everywhere !== '')
    items.push(`<details><summary>Headers of every response</summary>
<div class="folded">${everywhere}</div></details>`);
  return `<h4>Responses</h4><div class="responses">${items.join('\n')}</div>`;
}

function renderExample({ name, summary = name.replaceAll('_', ' '), value }: NamedExample): string {
  const code = codeOf(value);
  const subject = code === undefined ? 'Body' : `<a href="#error-${code}"><code>${code}</code></a>`;
  return renderBlock({
    text: indentJson(JSON.stringify(value)),
    language: 'json',
    title: `${subject} · ${escapeHtml(summary)}`,
    label: `Example: ${summary}`,
  });
}

function codeOf(value: unknown): string | undefined {
  const code = (value as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^\w+$/.test(code) ? code : undefined;
}

function renderHeaders(title: string, headers: Headers): string {
  const terms = Object.entries(headers).map(([name, { description = '' }]) => ({
    term: `<code>${escapeHtml(name)}</code>`,
    description: renderInline(description),
  }));
  if (terms.length === 0) return '';
  return (title === '' ? '' : `<h5>${title}</h5>`) + renderTerms(terms, 'terms headers');
}

/** The headers that mean the same on every response of an operation. */
function sharedHeaders(responses: DocumentedResponse[]): Headers {
  const [first, ...others] = responses.map(({ headers = {} }) => headers);
  const isShared = (name: string, header: Header) =>
    others.every((headers) => headers[name]?.description === header.description);
  return Object.fromEntries(Object.entries(first ?? {}).filter(([name, header]) => isShared(name, header)));
}
