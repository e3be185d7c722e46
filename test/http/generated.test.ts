import { afterAll, describe, expect, it } from 'bun:test';
import { parseJson, problemsOfValue } from '../support/contract/conformance.ts';
import {
  operations,
  type DocumentedOperation,
  type Parameter,
  type Schema,
} from '../support/contract/openapi.ts';
import { isBesideCursor, sendTo, type Change } from '../support/contract/send.ts';
import { openService } from '../support/http/service.ts';

/**
 * Inputs made from the schemas of the documents. Each schema is also the judge: what is an instance of it must
 * be accepted, what is not must be refused with the documented status. Every response is checked as well.
 */

type Outcome = 'accepted' | 400 | 404 | 412 | 415;

const service = await openService();
// The pet that the example of petId names.
await send(operations.find(({ operationId }) => operationId === 'createPet')!);
afterAll(() => service.close());

async function send(operation: DocumentedOperation, change: Change = {}): Promise<number> {
  const { petId, ...others } = change;
  const isExample = petId === String(operation.parameters.find(({ in: place }) => place === 'path')?.example);
  return (await sendTo(service, operation, isExample ? others : change)).status;
}

/** Sends all inputs and compares all outcomes at once: a failure shows the inputs that differ. */
async function expectOutcomes(
  operation: DocumentedOperation,
  inputs: string[],
  change: (input: string) => Change,
  expected: (input: string) => Outcome,
): Promise<void> {
  const outcomes = inputs.map(async (input) => {
    const { body = '', headers = {} } = change(input);
    const status = await send(operation, change(input));
    // An update may be right in itself and still expect another pet than the one that is there, and a first name one.
    const isFirst = operation.method === 'PUT' && headers['If-None-Match'] === '*';
    const isUnexpected = status === 412 && (body.includes('"expected"') || isFirst);
    return [input, status < 400 || isUnexpected ? 'accepted' : status];
  });
  const expectedOutcomes = inputs.map((input) => [input, expected(input)]);
  expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(Object.fromEntries(expectedOutcomes));
}

for (const operation of operations) {
  describe(`${operation.method} ${operation.path}`, () => {
    const parameters = operation.parameters.map((parameter) => withExample(operation, parameter));
    for (const parameter of parameters) {
      it(`accepts as ${parameter.name} what its schema describes, and nothing else`, () =>
        expectOutcomes(
          operation,
          textsFor(parameter),
          (text) => placeIn(operation, parameter, text),
          (text) =>
            isSound(operation, parameter, text) ? 'accepted' : refusalOf(operation, parameter, text),
        ));
    }

    for (const { name, example } of parameters.filter((parameter) => parameter.in === 'query')) {
      it(`refuses ${name} when it is given twice`, async () => {
        const pair: [string, string] = [name, String(example)];
        expect(await send(operation, { query: [pair, pair] })).toBe(400);
      });
    }

    for (const [mediaType, { schema, examples = {} }] of Object.entries(
      operation.requestBody?.content ?? {},
    )) {
      it('accepts as body what its schema describes, and nothing else', () => {
        const values = Object.values(examples).map(({ value }) => value as Record<string, unknown>);
        return expectOutcomes(
          operation,
          [...values.map((value) => JSON.stringify(value)), ...bodiesFor(schema, values[0]!)],
          (body) => ({ body }),
          (body) => (isInstance(schema, parseJson(body)) ? 'accepted' : 400),
        );
      });

      it('refuses a body that is not JSON', () =>
        expectOutcomes(
          operation,
          ['', ' ', '{', '{"name":"Rex","categoryId":1,}', '\uFEFF{"name":"Rex","categoryId":1}'],
          (body) => ({ body }),
          () => 400,
        ));

      it(`accepts no other media type than ${mediaType}`, () => {
        const sound = [mediaType, mediaType.toUpperCase(), `${mediaType}; charset=utf-8`];
        const others = ['', 'text/plain', 'application/xml', `${mediaType}p`, `${mediaType}; charset=latin1`];
        return expectOutcomes(
          operation,
          [...sound, ...others],
          (contentType) => ({ contentType }),
          (contentType) => (sound.includes(contentType) ? 'accepted' : 415),
        );
      });
    }
  });
}

/** The document gives no examples of these, because tools would send them by themselves. */
function withExample({ responses }: DocumentedOperation, parameter: Parameter): Parameter {
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(String(responses['200']?.headers['Link']?.example)) ?? [];
  const examples: Record<string, string> = { cursor, after: 'now', 'If-Match': '*', 'If-None-Match': '"a"' };
  return { ...parameter, example: parameter.example ?? examples[parameter.name] ?? 'order-4711' };
}

/** Texts to send as a parameter; its schema tells the sound ones. */
function textsFor({ schema, example }: Parameter): string[] {
  const numbers = ['0', '1', '-1', '-0', '01', '+1', '1.0', '1e1', ...int64Edges];
  const words = ['', ' ', 'abc', 'null', 'two words', '"', '""', '"a"', 'é', '*'];
  return [...new Set([String(example), ...numbers, ...words, ...edgesOf(schema)])];
}

function placeIn({ parameters }: DocumentedOperation, { name, in: place }: Parameter, text: string): Change {
  // A cursor belongs to its query, so their examples go together.
  const isOfQuery = (other: Parameter) => name === 'cursor' && isBesideCursor(other);
  const beside = parameters
    .filter(isOfQuery)
    .map((other): [string, string] => [other.name, String(other.example)]);
  if (place === 'query') return { query: [...beside, [name, text]] };
  return place === 'path' ? { petId: text } : { headers: { [name]: text } };
}

function refusalOf({ method }: DocumentedOperation, parameter: Parameter, text: string): Outcome {
  const { name, in: place, schema } = parameter;
  if (name === 'If-Match' || name === 'If-None-Match') {
    const isReadable = text.trim() === '*' || isInstance(schema, text.trim());
    return isReadable || method === 'GET' || method === 'POST' ? 412 : 400;
  }
  return place === 'path' ? 404 : 400;
}

/** A well-formed value of these may still name nothing; only the example is known to name something. */
const references = ['petId', 'cursor', 'after', 'If-Match'];

function isSound({ method }: DocumentedOperation, parameter: Parameter, text: string): boolean {
  const { name, in: place, schema, example } = parameter;
  const isRead = name === 'categoryId' && place === 'path' && method === 'GET';
  const isReference = isRead || (references.includes(name) && !(name === 'petId' && place === 'query'));
  if (isReference) return text === String(example);
  // HTTP takes the spaces around a header's value away.
  const value = place === 'header' ? text.trim() : text;
  const isInteger = schema.type === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(value);
  return isInstance(schema, isInteger ? parseJson(value) : value);
}

/** The example with one thing changed: each field absent, or of another kind; and values that are no object. */
function bodiesFor({ properties = {} }: Schema, example: Record<string, unknown>): string[] {
  const numbers = ['0', '-1', '1.5', '3.0', '1e2', '1e400', ...int64Edges];
  const literals = ['null', 'true', '""', '"1"', '"\\u0000"', '"Ægir 🐈"', '[]', '{}', ...numbers];
  const withField = (field: string, literal: string): string => {
    const others = Object.entries(example).filter(([name]) => name !== field);
    const fields = others.map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
    return `{${[...fields, `"${field}":${literal}`].join(',')}}`;
  };
  const changed = Object.entries(properties).flatMap(([field, schema]) => {
    const edges = edgesOf(schema).map((text) => JSON.stringify(text));
    return literals.concat(edges).map((literal) => withField(field, literal));
  });
  const absent = Object.keys(properties).map((field) => JSON.stringify({ ...example, [field]: undefined }));
  return [...literals, ...changed, ...absent, withField('id', '"mine"'), withField('unknown', 'null')];
}

const int64Edges = [
  '-9223372036854775809',
  '-9223372036854775808',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
];

/** Values on both sides of each constraint. */
function edgesOf({ minimum, maximum, minLength, maxLength, enum: values = [] }: Schema): string[] {
  const around = (edge?: number) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]);
  return [
    ...[...around(minimum), ...around(maximum)].map(String),
    ...[...around(minLength), ...around(maxLength)].map((length) => 'x'.repeat(length)),
    ...values.flatMap((value) => [String(value), String(value).toUpperCase(), ` ${String(value)}`]),
  ];
}

function isInstance(schema: Schema, value: unknown): boolean {
  return problemsOfValue(schema, value).length === 0;
}
