import { escapeHtml } from '../../html.ts';
import { examplesOf, type NamedOperation, type Parameter } from '../contract.ts';

/** A form that sends a real request. `browser/try/` reads the request from its data attributes. */
export function renderTryForm(operation: NamedOperation): string {
  const { operationId, method, path, parameters, requestBody } = operation;
  const id = (name: string) => `${operationId}-${name}`;
  const headers = parameters.filter((parameter) => parameter.in === 'header');
  const fields = parameters.filter((parameter) => parameter.in !== 'header');
  const [body] = examplesOf(requestBody?.content);
  const bodyField = body
    ? `<div class="field wide"><label for="${id('body')}">Body</label>
<textarea id="${id('body')}" data-in="body" rows="6" spellcheck="false">${escapeHtml(JSON.stringify(body.value, null, 2))}</textarea></div>`
    : '';
  const renderAll = (shown: Parameter[]) =>
    shown.map((field) => renderField(id(field.name), field)).join('\n');
  return `<form class="try card" id="${id('try')}" data-method="${method}" data-path="${escapeHtml(path)}" aria-label="Try ${operationId}" hidden>
<div class="try-request"><h4>Try it</h4>
<p class="help">Sends a real request to this host${method === 'GET' ? '' : ' and changes its pets'}.</p>
<div class="fields">${renderAll(fields)}${bodyField}</div>
<details><summary>Headers <span class="help">${headers.map(({ name }) => name).join(', ')}</span></summary>
<div class="fields folded">${renderAll(headers)}</div></details>
<div class="actions"><button type="submit" class="primary">Send</button>
<button type="button" class="plain" data-copy-curl>Copy as curl</button></div></div>
<div class="try-response"><p class="try-status" role="status">The response appears here.</p><div class="outcome"></div></div>
</form>`;
}

function renderField(id: string, { name, in: location, required, schema, example }: Parameter): string {
  const attributes = `id="${id}" data-name="${escapeHtml(name)}" data-in="${location}"`;
  const control = schema.enum
    ? `<select ${attributes}><option value="">Not sent</option>${schema.enum
        .map((value) => `<option>${escapeHtml(String(value))}</option>`)
        .join('')}</select>`
    : `<input ${attributes} autocomplete="off" spellcheck="false"${
        required
          ? ` required value="${escapeHtml(String(example ?? ''))}"`
          : ` placeholder="${escapeHtml(schema.default === undefined ? 'Not sent' : String(schema.default))}"`
      }>`;
  return `<div class="field"><label for="${id}">${escapeHtml(name)}</label>${control}</div>`;
}
