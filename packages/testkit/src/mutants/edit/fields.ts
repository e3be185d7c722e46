import { parseExactJson } from '../../conform/exact-json.ts';
import { isObject } from '../../conform/pets.ts';

/** The fields of a JSON object, with exact numbers. */
export type Fields = Record<string, unknown>;

/** The object in a text; undefined if the text is anything else. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value = parseExactJson(text);
    return isObject(value) ? value : undefined;
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
