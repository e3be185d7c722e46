import { escapeHtml } from '../../../packages/console/src/html.ts';
import { renderSample } from '../code/sample.ts';
import { schemaOf, type NamedOperation, type Parameter, type Schema } from '../contract.ts';
import { renderTerms, renderText } from '../markup.ts';
import { sampleOf } from './operation-sample.ts';
import { renderResponses } from './responses.ts';
import { renderTryForm } from './try-form.ts';

/** Operations: what they mean on one side, a sample on the other, and a form to try each. */
export function renderOperations(operations: NamedOperation[]): string {
  return operations.map(renderOperation).join('\n');
}

function renderOperation(operation: NamedOperation): string {
  const { operationId, method, path, summary = operationId, description = '' } = operation;
  return `<section class="operation" id="${operationId}">
<div class="columns"><div class="words">
<h3>${escapeHtml(summary)}${renderBadges(operation)}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code>
<a class="try-link" href="#${operationId}-try" hidden>Try it</a></p>
${renderText(description)}
${renderFields('Body', fieldsOf(schemaOf(operation.requestBody?.content)))}
${renderFields('Parameters', operation.parameters.toSorted(byLocation))}
${renderResponses(operation.responses)}
</div>
${renderSample(sampleOf(operation), operationId)}</div>
${renderTryForm(operation)}
</section>`;
}

function renderBadges({ deprecated, stability }: NamedOperation): string {
  return (
    (deprecated ? ' <a class="badge" href="#deprecation">Deprecated</a>' : '') +
    (stability === undefined ? '' : ` <a class="badge" href="#stability">${capitalize(stability)}</a>`)
  );
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const locations = ['path', 'query', 'header'];

function byLocation(one: Parameter, other: Parameter): number {
  return locations.indexOf(one.in) - locations.indexOf(other.in);
}

/** Parameters or fields with their type, their place and their meaning. */
function renderFields(title: string, fields: Parameter[]): string {
  if (fields.length === 0) return '';
  const terms = fields.map(({ name, in: location, required, schema, description = '' }) => ({
    term: `<code>${escapeHtml(name)}</code> <span class="help">${escapeHtml(typeOf(schema))}${location === 'body' ? '' : ` · ${location}`}</span>${
      required ? ' <span class="required">required</span>' : ''
    }`,
    description: renderText(description),
  }));
  return `<h4>${title}</h4>${renderTerms(terms)}`;
}

/** The fields of a body, and the fields of the objects in it under their path: `expected.status`. */
function fieldsOf({ properties = {}, required = [] }: Schema, path = ''): Parameter[] {
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
