/** JSON whose integers keep every digit: they are read as `bigint` and written unchanged. */

export type Fields = Record<string, unknown>;

const integer = /^-?\d+$/;
// TypeScript's library does not declare it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

export function parseExact(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && integer.test(context.source ?? '') ? BigInt(context.source ?? '') : value;
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

export function renderExact(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? rawJSON(String(field)) : field,
  );
}

/** The object in a text; undefined if the text is anything else. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

export function without(fields: Fields, name: string): Fields {
  const { [name]: _left, ...rest } = fields;
  return rest;
}

/** Appends the field if it is missing. */
export function withDefault(fields: Fields, name: string, value: unknown): Fields {
  return Object.hasOwn(fields, name) ? fields : { ...fields, [name]: value };
}
