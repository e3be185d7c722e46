import { hash } from 'node:crypto';
import { PetstoreError } from './error.ts';
import { int64Range, JsonNumber, parseInt64, toInt64 } from './int64.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** The largest body of a request. */
export const maxBodyBytes = 64 * 1024;

export const pageLimit = { smallest: 1, largest: 100, default: 20 } as const;

/** A pet as a caller describes it; the service adds the id. */
export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
}

/** Some fields of a pet. Null stands for an optional field that is absent. */
export type PetFields = { [Name in keyof NewPet]?: NewPet[Name] | null };

type FieldValue = string | bigint;
type FieldValues = Partial<Record<keyof NewPet, FieldValue | null>>;

export interface PetField {
  name: keyof NewPet;
  /** The type of its column in PostgreSQL, which is named after it: `category_id`. */
  type: 'text' | 'bigint';
  /** Empty text in CSV and in PostgreSQL's arrays stands for an optional field that is absent. */
  isOptional: boolean;
  /** Its value from parsed JSON; undefined when that is wrong. */
  parse: (value: unknown) => FieldValue | undefined;
  /** What is said of a wrong value, after the name. */
  problem: (value: unknown) => string;
}

const { smallest, largest } = int64Range;
const isText = (value: unknown) => typeof value === 'string';

/**
 * The fields of a pet beside its id, in the order of its JSON. Parsing, updates, expectations, fingerprints, CSV and the
 * columns of PostgreSQL follow from this table; `renderFields` is held to it by a test. A new field goes to the end.
 */
export const petFields: readonly PetField[] = [
  {
    name: 'name',
    type: 'text',
    isOptional: false,
    parse: (value) => (isText(value) && value.isWellFormed() && !value.includes('\0') ? value : undefined),
    problem: (value) => `must be ${isText(value) ? 'well-formed Unicode without U+0000' : 'a string'}`,
  },
  {
    name: 'categoryId',
    type: 'bigint',
    isOptional: false,
    parse: toInt64,
    problem: () => `must be an integer from ${smallest} to ${largest}`,
  },
  {
    name: 'status',
    type: 'text',
    isOptional: true,
    parse: (value) => (isPetStatus(value) ? value : undefined),
    problem: () => `must be one of ${petStatuses.join(', ')}`,
  },
];

/** By id: newest first, or oldest first. */
export const sorts = ['newest', 'oldest'] as const;
export type Sort = (typeof sorts)[number];

export interface Page {
  /** A JSON array of at most `limit` pets, in ascending order of id unless the request says otherwise. */
  json: string;
  /** The last id of this page, present when more pets follow. */
  next?: bigint;
}

/** Makes a create safe to repeat: the same key of the same caller creates one pet. */
export interface Idempotency {
  key: string;
  /** The hash of the caller's API key, so that two callers may choose the same idempotency key. */
  caller: string;
}

/** A key is promised for 24 hours; the second day covers a clock that is set forward by one. */
export const idempotencyRetentionMs = 48 * 60 * 60 * 1000;

/** The pet as JSON, the same bytes from every store: an ETag must not depend on where the pet is kept. */
export function renderPet(id: bigint | string, fields: string): string {
  return `{"id":${id},${fields}`;
}

/**
 * The pet's JSON after its id, which only the store knows; digits may come as text. It is written out, in the order of
 * the table, because every pet of a page passes here.
 */
export function renderFields({ name, categoryId, status }: FieldValues): string {
  const statusField = status ? `,"status":"${status}"` : '';
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

/** Two creates are the same request if they describe the same pet, however they spell it. */
export function fingerprintOf(pet: NewPet): string {
  const values = petFields.map(({ name }) => pet[name]?.toString() ?? null);
  // Of the fields that joined the first three, absent ones do not count: a retry across that release is the same request.
  const count = Math.max(3, values.findLastIndex((value) => value !== null) + 1);
  return hash('sha256', JSON.stringify(values.slice(0, count)), 'hex');
}

export function idempotencyConflict(): PetstoreError {
  return new PetstoreError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another pet. Send a new key for a new pet.',
  );
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** Whether the API could have accepted this name. A character takes at most six bytes, so few names are measured. */
export function fitsBody(name: string): boolean {
  return name.length < maxBodyBytes / 8 || Buffer.byteLength(JSON.stringify({ name })) <= maxBodyBytes;
}

/** What is wrong with a pet: one sentence for each field that has a problem. */
export type PetProblems = Partial<Record<keyof NewPet, string>>;

/** A pet that cannot be added. The message lists every problem. */
export class InvalidPetError extends PetstoreError {
  readonly problems: PetProblems;

  constructor(problems: PetProblems, message = Object.values(problems).join(' ')) {
    super('invalid_pet', message);
    this.problems = problems;
  }
}

/** Reads a pet from parsed JSON, or throws an {@link InvalidPetError} with every problem. */
export function parseNewPet(body: unknown): NewPet {
  if (!isJsonObject(body)) {
    throw new InvalidPetError({}, 'The body must be a JSON object with the fields name and categoryId.');
  }
  const problems: PetProblems = {};
  const pet = parseFields(body, problems, false);
  if (Object.keys(problems).length > 0) throw new InvalidPetError(problems);
  return pet as NewPet;
}

/** Reads what a body gives of a pet. In an update, nothing is required, and null stands for none. */
export function parseFields(body: JsonObject, problems: PetProblems, isUpdate: boolean): PetFields {
  return collectFields(({ name, isOptional, parse, problem }) => {
    const given = fieldOf(body, name);
    if (given === undefined && !isOptional && !isUpdate) problems[name] = `${name} is required.`;
    if (given === undefined || (given === null && isOptional && isUpdate)) return given;
    const value = parse(given);
    const none = isUpdate ? 'null for none' : 'left out';
    if (value === undefined) problems[name] = `${name} ${problem(given)}${isOptional ? `, or ${none}` : ''}.`;
    return value;
  });
}

/** The fields for which `read` has a value. */
export function collectFields(read: (field: PetField) => FieldValue | null | undefined): PetFields {
  const fields: FieldValues = {};
  for (const field of petFields) {
    const value = read(field);
    if (value !== undefined) fields[field.name] = value;
  }
  return fields as PetFields;
}

/** The value of a field that is kept as text, such as a cell of CSV. Text that is not an integer stays text. */
export function fromText<Text extends string | null | undefined>(
  { type }: PetField,
  text: Text,
): bigint | Text {
  return type === 'bigint' && text ? (parseInt64(text) ?? text) : text;
}

export type JsonObject = Record<string, unknown>;

/** Whether a value of parsed JSON is an object, and not an array or a number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

export function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

/** The page that these rows make. One row more than the page holds says that another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, render: (row: Row) => string): Page {
  const shown = rows.slice(0, limit).map(render);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { json: `[${shown.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
}

/** The id in a rendered pet or order, whose first field it is. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
