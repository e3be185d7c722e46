import { escapeHtml } from '../html.ts';
import type { ApiRequest } from './code.ts';
import {
  examplesOf,
  schemaOf,
  type DocumentedResponse,
  type Example,
  type NamedOperation,
  type Parameter,
  type Schema,
} from './contract.ts';
import { clientSamples } from './examples.ts';
import { renderHeading, renderInline, renderStatus, renderTerms, renderText } from './markup.ts';
import { renderBlock, renderSample, toSample, type CodeSample } from './samples.ts';

/** Each operation with its description beside a sample, and a form to try it. */
export function renderOperations(operations: NamedOperation[]): string {
  return operations.map(renderOperation).join('\n');
}

function renderOperation(operation: NamedOperation): string {
  const { operationId, method, path, summary = operationId, description = '' } = operation;
  return `<section class="operation" id="${operationId}">
<div class="columns"><div class="words">
${renderHeading(3, operationId, summary, renderBadge(operation))}
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code>
<a class="try-link" href="#${operationId}-try" hidden>Try it</a></p>
${renderText(description)}
${renderFields('<h4>Body</h4>', fieldsOf(schemaOf(operation.requestBody?.content)))}
${renderFields('<h4>Parameters</h4>', operation.parameters.toSorted(byLocation))}
${renderResponses(operation.responses)}
</div>
${renderSample(sampleOf(operation), operationId)}</div>
${renderTryForm(operation)}
</section>`;
}

/** The mark of a deprecated or unstable operation. */
export function markOf({ deprecated, 'x-stability': stability }: NamedOperation): string | undefined {
  return deprecated ? 'Deprecated' : stability && stability.charAt(0).toUpperCase() + stability.slice(1);
}

function renderBadge(operation: NamedOperation): string {
  const mark = markOf(operation);
  const explanation = operation.deprecated ? 'deprecation' : 'stability';
  return mark === undefined ? '' : ` <a class="badge" href="#${explanation}">${mark}</a>`;
}

const locations = ['path', 'query', 'header'];

function byLocation(one: Parameter, other: Parameter): number {
  return locations.indexOf(one.in) - locations.indexOf(other.in);
}

/** Parameters or fields with type, location and meaning, below a heading in HTML. */
function renderFields(heading: string, fields: Parameter[]): string {
  if (fields.length === 0) return '';
  const terms = fields.map(({ name, in: location, required, schema, description = '' }) => ({
    term: `<code>${escapeHtml(name)}</code> <span class="help">${escapeHtml(typeOf(schema))}${location === 'body' ? '' : ` · ${location}`}</span>${
      required ? ' <span class="required">required</span>' : ''
    }`,
    description: renderText(description),
  }));
  return heading + renderTerms(terms);
}

/** The fields of a body or its items. Nested fields are listed by path: `expected.status`. */
export function fieldsOf({ properties = {}, required = [], items }: Schema, path = ''): Parameter[] {
  if (items) return fieldsOf(items, path);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const field: Parameter = {
      name: path + name,
      in: 'body',
      required: required.includes(name),
      schema,
      description: schema.description ?? '',
    };
    return [field].concat(fieldsOf(schema, `${path}${name}.`));
  });
}

function typeOf(schema: Schema): string {
  const { type = 'any', format, enum: values, minimum, maximum, default: fallback } = schema;
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  const standard = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  const types = format ?? [type].flat().join(' | ');
  return (values ? values.map(String).join(' | ') : types) + range + standard;
}

/** Each status with its examples, its fields, its error codes and its headers. */
function renderResponses(responses: Record<string, DocumentedResponse>): string {
  const items = Object.entries(responses).map(([status, { description, headers = {}, content }]) => {
    const examples = examplesOf(content);
    // `default` covers the statuses of its examples.
    const shown =
      status === 'default' ? examples.map((example) => bodyOf(example).status).join(', ') : status;
    // All errors share their fields, which the guide explains once.
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
    text: JSON.stringify(example.value, null, 2),
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

/** A request built from the document's examples, with its documented response. */
function sampleOf(operation: NamedOperation): CodeSample {
  const [status = '', response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const [example] = examplesOf(response?.content);
  const prints = example === undefined ? '' : JSON.stringify(example.value);
  return toSample(requestOf(operation), status, prints, clientSamples[operation.operationId]);
}

/** The optional parameters that belong in a good first request. */
const shownParameters = ['limit', 'q'];

function requestOf({ method, path, parameters, requestBody }: NamedOperation): ApiRequest {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: location, example, schema } of parameters) {
    const value = String(example ?? schema.default ?? '');
    if (location === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (shownParameters.includes(name)) query.set(name, value);
  }
  const [body] = examplesOf(requestBody?.content);
  return {
    method,
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    headers: body ? [['Content-Type', 'application/json']] : [],
    body: body && JSON.stringify(body.value),
  };
}

/** A form that sends a real request. `browser/try.ts` reads the request from its data attributes. */
function renderTryForm(operation: NamedOperation): string {
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
    shown.map((field) => renderTryField(id(field.name), field)).join('\n');
  return `<form class="try card" id="${id('try')}" data-method="${method}" data-path="${escapeHtml(path)}" aria-label="Try ${operationId}" hidden>
<div class="try-request"><h4>Try it</h4>
<p class="help">Sends a real request to this host${method === 'GET' ? '' : ' and changes its store'}.</p>
<div class="fields">${renderAll(fields)}${bodyField}</div>
<details><summary>Headers <span class="help">${headers.map(({ name }) => name).join(', ')}</span></summary>
<div class="fields folded">${renderAll(headers)}</div></details>
<div class="actions"><button type="submit" class="primary">Send</button>
<button type="button" class="plain" data-copy-curl>Copy as curl</button></div></div>
<div class="try-response"><p class="try-status" role="status">The response appears here.</p><div class="outcome"></div></div>
</form>`;
}

function renderTryField(id: string, { name, in: location, required, schema, example }: Parameter): string {
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
