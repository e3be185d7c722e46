import { escapeHtml } from '../../../packages/console/src/html.ts';
import type { Parameter, Schema } from '../contract.ts';
import { renderTerms, renderText } from '../markup.ts';

/** Parameters or fields with their type, their place and their meaning. */
export function renderFields(title: string, fields: Parameter[]): string {
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
export function fieldsOf({ properties = {}, required = [] }: Schema, path = ''): Parameter[] {
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
  const choices = schema.anyOf ?? schema.oneOf;
  // Beside a type, they are conditions.
  if (choices && schema.type === undefined) return choices.map(typeOf).join(' | ');
  const { type = 'any', format, enum: values, minimum, maximum, default: fallback } = schema;
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  const standard = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  const types = format ?? [type].flat().join(' | ');
  return (values ? values.map(String).join(' | ') : types) + range + standard;
}
