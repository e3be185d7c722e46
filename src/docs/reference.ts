import {
  createResolver,
  operationsOf,
  type ApiResponse,
  type NamedOperation,
  type OpenapiDocument,
  type Parameter,
  type Schema,
} from './contract.ts';
import { escapeHtml, renderInline, renderText } from '../console/html.ts';

type Resolve = ReturnType<typeof createResolver>;

/** The operations on pets, each with its parameters, body and answers, and a form to try it. */
export function renderReference(contract: OpenapiDocument): string {
  const resolve = createResolver(contract);
  return operationsOf(contract, 'Pets')
    .map((operation) => renderOperation(operation, resolve))
    .join('\n');
}

function renderOperation(operation: NamedOperation, resolve: Resolve): string {
  const { operationId, method, path, summary = operationId, description, deprecated = false } = operation;
  const parameters = (operation.parameters ?? [])
    .map((parameter) => resolve<Parameter>(parameter))
    .toSorted((one, other) => places.indexOf(one.in) - places.indexOf(other.in));
  const body = operation.requestBody?.content['application/json'];
  const bodySchema = body?.schema ? resolve<Schema>(body.schema) : undefined;
  const bodyExample = Object.values(body?.examples ?? {})[0];
  return `<section class="operation" id="${operationId}">
<h3>${escapeHtml(summary)}${deprecated ? ' <a class="badge" href="#deprecation">Deprecated</a>' : ''}</h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>
${renderText(description ?? '')}
${
  parameters.length > 0
    ? fieldTable(
        'Parameters',
        parameters.map((parameter) => parameterRow(parameter, resolve)),
      )
    : ''
}
${bodySchema ? fieldTable('Body', propertyRows(bodySchema, resolve)) : ''}
${answerTable(operation.responses, resolve)}
${tryForm(operation, parameters, bodyExample && resolve<{ value: unknown }>(bodyExample).value)}
</section>`;
}

const places = ['path', 'query', 'header'];

interface FieldRow {
  name: string;
  where: string;
  isRequired: boolean;
  schema: Schema;
  description: string;
}

function parameterRow(parameter: Parameter, resolve: Resolve): FieldRow {
  return {
    name: parameter.name,
    where: parameter.in,
    isRequired: parameter.required ?? false,
    schema: resolve<Schema>(parameter.schema),
    description: parameter.description ?? '',
  };
}

function propertyRows({ properties = {}, required = [] }: Schema, resolve: Resolve): FieldRow[] {
  return Object.entries(properties).map(([name, property]) => {
    const schema = resolve<Schema>(property);
    const isRequired = required.includes(name);
    return { name, where: 'body', isRequired, schema, description: schema.description ?? '' };
  });
}

function fieldTable(title: string, rows: FieldRow[]): string {
  const items = rows.map(
    ({ name, where, isRequired, schema, description }) => `<div class="item">
<dt><code>${escapeHtml(name)}</code> <span class="kind">${escapeHtml(kindOf(schema))} · ${where}${isRequired ? ' · required' : ''}</span></dt>
<dd>${renderText(description)}</dd></div>`,
  );
  return `<h4>${title}</h4><dl>${items.join('\n')}</dl>`;
}

function kindOf({ type = 'any', format, enum: values, minimum, maximum, default: fallback }: Schema): string {
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  const standard = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  return (values ? values.join(' | ') : (format ?? type)) + range + standard;
}

function answerTable(responses: NamedOperation['responses'], resolve: Resolve): string {
  const items = Object.entries(responses).map(([status, reference]) => {
    const response = resolve<ApiResponse>(reference);
    const shown = Object.values(response.content?.['application/json']?.examples ?? {})
      .map((example) => resolve<{ value: unknown }>(example).value)
      .map(
        (value) =>
          `<pre tabindex="0" aria-label="Example of an answer ${status}"><code>${escapeHtml(JSON.stringify(value))}</code></pre>`,
      );
    const headers = Object.keys(response.headers ?? {}).filter((name) => ownHeaders.has(name));
    const headerLine =
      headers.length > 0
        ? `<p class="kind">With ${headers.map((name) => `<code>${name}</code>`).join(', ')}</p>`
        : '';
    return `<details><summary><span class="code c${status.charAt(0)}">${status}</span> ${renderInline(response.description)}</summary>
${headerLine}${shown.join('\n')}</details>`;
  });
  return `<h4>Answers</h4><div class="answers">${items.join('\n')}</div>`;
}

/** The headers that say something about this answer; the others are the same everywhere. */
const ownHeaders = new Set([
  'Link',
  'ETag',
  'Location',
  'Idempotent-Replayed',
  'Allow',
  'WWW-Authenticate',
  'Retry-After',
  'Deprecation',
  'Sunset',
]);

/** Works by the page's script, which reads the names of the fields. */
function tryForm(
  { operationId, method, path }: NamedOperation,
  parameters: Parameter[],
  body: unknown,
): string {
  const id = (name: string) => `${operationId}-${name}`;
  const fields = parameters
    .filter(({ name }) => !['X-Request-Id', 'If-Match', 'If-None-Match'].includes(name))
    .map(({ name, in: where, required = false }) => {
      const value = where === 'path' ? '1' : '';
      return `<div class="field"><label for="${id(name)}">${escapeHtml(name)}</label>
<input id="${id(name)}" data-name="${escapeHtml(name)}" data-in="${where}" value="${value}" autocomplete="off"${required ? ' required' : ''}></div>`;
    });
  const bodyField =
    body === undefined
      ? ''
      : `<div class="field wide"><label for="${id('body')}">Body</label>
<textarea id="${id('body')}" data-in="body" rows="5" spellcheck="false">${escapeHtml(JSON.stringify(body, null, 2))}</textarea></div>`;
  return `<form class="try card" data-method="${method}" data-path="${escapeHtml(path)}" aria-label="Try ${operationId}" hidden>
<h4>Try it</h4><div class="fields">${fields.join('\n')}${bodyField}</div>
<button type="submit" class="primary">Send</button>
<div class="outcome" role="status"></div>
</form>`;
}
