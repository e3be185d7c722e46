import {
  escapeHtml,
  renderCode,
  renderInline,
  renderStatus,
  renderTerms,
  renderText,
} from '../console/html.ts';
import {
  operationsOf,
  type NamedOperation,
  type OpenapiDocument,
  type Parameter,
  type Schema,
} from './contract.ts';

/** The operations on pets: parameters, body, responses, and a form to try each. */
export function renderReference(contract: OpenapiDocument): string {
  return operationsOf(contract, 'Pets').map(renderOperation).join('\n');
}

function renderOperation(operation: NamedOperation): string {
  const { operationId, method, path, summary = operationId, description = '' } = operation;
  const badge = operation.deprecated ? ' <a class="badge" href="#deprecation">Deprecated</a>' : '';
  const parameters = (operation.parameters ?? []).toSorted(
    (one, other) => locations.indexOf(one.in) - locations.indexOf(other.in),
  );
  const body = operation.requestBody?.content['application/json'];
  const [bodyExample] = Object.values(body?.examples ?? {});
  return `<section class="operation" id="${operationId}">
<h3>${escapeHtml(summary)}${badge}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>
${renderText(description)}
${renderFields('Parameters', parameters)}
${renderFields('Body', propertiesOf(body?.schema))}
${renderResponses(operation.responses)}
${renderTryForm(operation, parameters, bodyExample?.value)}
</section>`;
}

const locations = ['path', 'query', 'header'];

function propertiesOf({ properties = {}, required = [] }: Schema = {}): Parameter[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'body',
    required: required.includes(name),
    schema,
    description: schema.description ?? '',
  }));
}

function renderFields(title: string, fields: Parameter[]): string {
  if (fields.length === 0) return '';
  const entries = fields.map(({ name, in: location, required, schema, description }): [string, string] => {
    const type = `${typeOf(schema)} · ${location}${required ? ' · required' : ''}`;
    return [
      `<code>${escapeHtml(name)}</code> <span class="help">${escapeHtml(type)}</span>`,
      renderText(description ?? ''),
    ];
  });
  return `<h4>${title}</h4>${renderTerms(entries)}`;
}

function typeOf({ type = 'any', format, enum: values, minimum, maximum, default: fallback }: Schema): string {
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  const standard = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  return (values ? values.join(' | ') : (format ?? type)) + range + standard;
}

function renderResponses(responses: NamedOperation['responses']): string {
  const items = Object.entries(responses).map(([status, { description, headers = {}, content }]) => {
    const names = Object.keys(headers).filter((name) => shownHeaders.has(name));
    const codes = names.map((name) => `<code>${name}</code>`).join(', ');
    const examples = Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) =>
      renderCode(JSON.stringify(value), `Example of a ${status} response`),
    );
    return `<details><summary>${renderStatus(status)} ${renderInline(description)}</summary>
${names.length > 0 ? `<p class="help">With ${codes}</p>` : ''}${examples.join('\n')}</details>`;
  });
  return `<h4>Responses</h4><div class="responses">${items.join('\n')}</div>`;
}

/** The headers that are particular to a response; every response has the others. */
const shownHeaders = new Set([
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

const untriedHeaders = ['X-Request-Id', 'If-Match', 'If-None-Match'];

/** `browser/docs.ts` shows the form and builds the request from its data attributes. */
function renderTryForm(
  { operationId, method, path }: NamedOperation,
  parameters: Parameter[],
  body: unknown,
): string {
  const id = (name: string) => `${operationId}-${name}`;
  const fields = parameters
    .filter(({ name }) => !untriedHeaders.includes(name))
    .map(({ name, in: location, required = false }) => {
      const value = location === 'path' ? '1' : '';
      return `<div class="field"><label for="${id(name)}">${escapeHtml(name)}</label>
<input id="${id(name)}" data-name="${escapeHtml(name)}" data-in="${location}" value="${value}" autocomplete="off"${required ? ' required' : ''}></div>`;
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
