import { PetstoreError } from './error.ts';
import { int64Range, JsonNumber, parseInt64, parseRendered, toInt64 } from './int64.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** The largest request body. */
export const maxBodyBytes = 16 * 1024;

/** A pet as a caller describes it; the service adds the id. */
export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
}

/** Some fields of a pet. Null means that an optional field is absent. */
export type PetFields = { [Name in keyof NewPet]?: NewPet[Name] | null };

export type FieldValue = string | bigint;
export type FieldValues = Partial<Record<keyof NewPet, FieldValue | null>>;

/**
 * The pet as JSON: what is stored and what callers get. The ETag is the hash of these bytes. The fields are in the order
 * of the table below.
 */
export function renderPet(id: bigint, { name, categoryId, status }: NewPet): string {
  const statusField = status ? `,"status":"${status}"` : '';
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

/** The pet that {@link renderPet} has rendered. */
export function readPet(json: string): Pet {
  return parseRendered(json) as Pet;
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

export interface PetField {
  name: keyof NewPet;
  type: 'text' | 'bigint';
  /** An optional field that is absent is empty text in CSV. */
  isOptional: boolean;
  /** Returns the value from parsed JSON; undefined if it is invalid. */
  parse: (value: unknown) => FieldValue | undefined;
  /** Describes an invalid value. The field's name precedes it in the message. */
  problem: (value: unknown) => string;
}

const { smallest, largest } = int64Range;
const isText = (value: unknown) => typeof value === 'string';
const isWellFormedText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
/** Characters are code points, as in JSON Schema. */
const validLength = /^[^]{0,255}$/u;

/**
 * The fields of a pet besides its id, in the order of its JSON. Parsing, updates, expectations, fingerprints and CSV
 * follow this table; a test checks that `renderPet` does too. New fields go at the end.
 */
export const petFields: readonly PetField[] = [
  {
    name: 'name',
    type: 'text',
    isOptional: false,
    parse: (value) =>
      isText(value) && isWellFormedText(value) && validLength.test(value) ? value : undefined,
    problem: (value) => {
      if (!isText(value)) return 'must be a string';
      if (!isWellFormedText(value)) return 'must be well-formed Unicode without U+0000';
      return 'must have at most 255 characters';
    },
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

/** One sentence for each invalid field of a pet. */
export type PetProblems = Partial<Record<keyof NewPet, string>>;

/** An invalid pet. The message lists every problem. */
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

export interface PetUpdate {
  changes: PetFields;
  /** The values that the caller expects. The update is refused if any of them differ. */
  expected?: PetFields;
}

/** Reads an update from parsed JSON, or throws an {@link InvalidPetError} with every problem. */
export function parsePetUpdate(body: unknown): PetUpdate {
  if (!isJsonObject(body)) throw new InvalidPetError({}, 'The body must be a JSON object.');
  const problems: string[] = [];
  const update: PetUpdate = { changes: parseSome(body, 'The body', '', problems) };
  const expected = fieldOf(body, 'expected');
  if (isJsonObject(expected)) update.expected = parseSome(expected, 'expected', 'expected.', problems);
  else if (expected !== undefined) problems.push('expected must be a JSON object.');
  if (problems.length > 0) throw new InvalidPetError({}, problems.join(' '));
  return update;
}

/** `path` is the prefix of each field's name in a problem. */
function parseSome(body: JsonObject, where: string, path: string, problems: string[]): PetFields {
  const fieldProblems: PetProblems = {};
  const fields = parseFields(body, fieldProblems, true);
  problems.push(...Object.values(fieldProblems).map((problem) => path + problem));
  // A typo in the only field would otherwise be ignored silently.
  if (Object.keys({ ...fields, ...fieldProblems }).length === 0) {
    const names = new Intl.ListFormat('en-GB').format(petFields.map(({ name }) => name));
    problems.push(`${where} must have at least one of the fields ${names}.`);
  }
  return fields;
}

/** Reads the fields of a pet from a body. In an update, no field is required, and null clears an optional one. */
function parseFields(body: JsonObject, problems: PetProblems, isUpdate: boolean): PetFields {
  const fields: FieldValues = {};
  for (const { name, isOptional, parse, problem } of petFields) {
    const field = fieldOf(body, name);
    const isCleared = field === null && isOptional && isUpdate;
    const value = isCleared ? null : parse(field);
    const none = isUpdate ? 'null for none' : 'left out';
    if (value !== undefined) fields[name] = value;
    else if (field !== undefined)
      problems[name] = `${name} ${problem(field)}${isOptional ? `, or ${none}` : ''}.`;
    else if (!isOptional && !isUpdate) problems[name] = `${name} is required.`;
  }
  return fields as PetFields;
}

/** The value of a field in a cell of a CSV file. Text that is not an integer stays text. */
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
