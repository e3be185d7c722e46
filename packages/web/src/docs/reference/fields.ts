import { escapeHtml } from '../../html.ts';
import type { Parameter, Schema } from '../contract.ts';
import { renderTerms, renderText } from '../markup.ts';

/** Parameters or fields with type, location and meaning, below a heading in HTML. */
export function renderFields(heading: string, fields: Parameter[]): string {
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
