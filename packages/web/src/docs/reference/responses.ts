import { escapeHtml } from '../../html.ts';
import { indentJson } from '../code.ts';
import { renderBlock } from '../samples.ts';
import { examplesOf, schemaOf, type DocumentedResponse, type Example } from '../contract.ts';
import { renderInline, renderStatus, renderTerms } from '../markup.ts';
import { fieldsOf, renderFields } from './fields.ts';

/** Each status with its examples, its fields, its error codes and its headers. */
export function renderResponses(responses: Record<string, DocumentedResponse>): string {
  const items = Object.entries(responses).map(([status, { description, headers = {}, content }]) => {
    const examples = examplesOf(content);
    // `default` covers the statuses of its examples.
    const shown =
      status === 'default' ? examples.map((example) => bodyOf(example).status).join(', ') : status;
    // All errors share their fields, which the reference explains once.
    const fields = status.startsWith('2') ? renderFields('<h5>Fields</h5>', fieldsOf(schemaOf(content))) : '';
    return `<details><summary>${renderStatus(shown)} <span>${renderInline(description)}</span></summary>
<div class="folded">${examples.map(renderExample).join('\n')}${fields}${renderHeaders(headers)}</div></details>`;
  });
  return `<h4>Responses</h4><div class="responses">${items.join('\n')}</div>`;
}

function renderExample(example: Example): string {
  const { summary = 'Example' } = example;
  const { code } = bodyOf(example);
  const subject = code === undefined ? 'Body' : `<a href="#error-${code}"><code>${code}</code></a>`;
  return renderBlock({
    text: indentJson(JSON.stringify(example.value)),
    language: 'json',
    title: `${subject} · ${escapeHtml(summary)}`,
    label: `Example: ${summary}`,
  });
}

function bodyOf({ value }: Example): { code?: string; status?: number } {
  return value as object;
}

function renderHeaders(headers: NonNullable<DocumentedResponse['headers']>): string {
  const terms = Object.entries(headers).map(([name, { description = '' }]) => ({
    term: `<code>${escapeHtml(name)}</code>`,
    description: renderInline(description),
  }));
  return terms.length === 0 ? '' : `<h5>Headers</h5>${renderTerms(terms, 'terms headers')}`;
}
