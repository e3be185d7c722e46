import { describe, expect, it } from 'bun:test';
import { statusOfCode, type ErrorCode } from '../../src/domain/error.ts';
import { problemsOfValue } from '../support/contract/conformance.ts';
import { openapi, operations, type Example } from '../support/contract/openapi.ts';

describe('openapi.yaml', () => {
  const codes = Object.keys(statusOfCode) as ErrorCode[];
  const allResponses = operations.flatMap(({ responses }) => Object.entries(responses));
  const allExamples = allResponses.flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ schema, examples = {} }) =>
      Object.values(examples).map((example: Example) => ({ status, schema, value: example.value })),
    ),
  );
  const errors = allExamples
    .filter(({ status }) => !status.startsWith('2'))
    .map(({ status, value }) => ({ status, value: value as { code: ErrorCode; status: number } }));

  it('declares the limits that callers can rely on', () => {
    for (const [status, { headers }] of allResponses) {
      // A response to an unknown key, or to none, counts nobody's requests.
      const isCounted = /^[24]/.test(status) && status !== '401';
      if (isCounted)
        expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
    }
    const parameters = operations.flatMap((operation) => operation.parameters);
    for (const { name, schema } of parameters) {
      if (schema?.type === 'integer') expect(`${name} ${schema.format}`).toMatch(/ int(?:32|64)$/);
      if (['q', 'Idempotency-Key'].includes(name)) expect(schema?.maxLength).toBeGreaterThan(0);
    }
    expect(openapi.components.schemas['CategoryName']?.properties?.['name']?.maxLength).toBe(100);
  });

  it('lists exactly the error codes of the service, and says that there may be more', () => {
    const code = openapi.components.schemas['Error']?.properties?.['code'];
    expect(code?.['x-extensible-enum']).toEqual(codes);
    expect(code?.description).toContain('A minor version may add values');
    expect(code).not.toHaveProperty('enum');
  });

  // 405 is the response to what is no operation.
  it.each(codes.filter((code) => code !== 'method_not_allowed'))('shows %s under its status', (code) => {
    const statuses = errors.filter(({ value }) => value.code === code).map(({ value }) => value.status);
    expect([...new Set(statuses)]).toEqual([statusOfCode[code]]);
  });

  it('gives every response with a body an example, and every error its own status', () => {
    for (const [, { content = {} }] of allResponses) {
      expect(['', 'application/json']).toContain(Object.keys(content).join());
      for (const { examples = {} } of Object.values(content)) expect(Object.keys(examples)).not.toBeEmpty();
    }
    for (const { status, value } of errors)
      expect(String(value.status)).toBe(status === 'default' ? '422' : status);
  });

  it('repeats the fields of PetUpdate in its options, as Specmatic needs it', () => {
    const { properties = {}, anyOf = [] } = openapi.components.schemas['PetUpdate'] as {
      properties?: object;
      anyOf?: { required: string[]; properties?: object }[];
    };
    const names = anyOf.map((option) => Object.keys(option.properties ?? {}));
    expect(names).toEqual(anyOf.map(({ required }) => required.concat('expected')));
    expect(new Set(names.flat())).toEqual(new Set(Object.keys(properties)));
  });

  it('has only examples that match their schema', () => {
    const requests = operations.flatMap(({ requestBody, parameters }) => [
      ...parameters
        .filter(({ example }) => example !== undefined)
        .map(({ schema, example }) => ({ schema, value: example as unknown })),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema, examples = {} }) =>
        Object.values(examples).map(({ value }) => ({ schema, value })),
      ),
    ]);
    const headers = allResponses.flatMap(([, response]) =>
      Object.values(response.headers).map(({ schema, example }) => ({ schema, value: example })),
    );
    for (const { schema, value } of [...requests, ...allExamples, ...headers]) {
      expect(problemsOfValue(schema, value)).toEqual([]);
    }
  });

  it('allows more fields in every response', () => {
    for (const { schema, value } of allExamples) {
      const [one] = [value].flat() as object[];
      const larger = { ...one, later: true };
      expect(problemsOfValue(schema, Array.isArray(value) ? [larger] : larger)).toEqual([]);
    }
  });

  it('links a pet to its orders, and a new pet to its operations', () => {
    const links = operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap((response) =>
        Object.values(response.links ?? {}).map((link) => [operationId, link.operationId, link.parameters]),
      ),
    );
    const parameters = { petId: '$response.body#/id' };
    const expected = [
      ...['getPet', 'updatePet', 'deletePet', 'listOrders'].map((to) => ['createPet', to]),
      ['getPet', 'listOrders'],
      ['updatePet', 'listOrders'],
    ];
    expect(links).toEqual(expected.map((link) => [...link, parameters]));
    // A tool that follows a link needs the parameter that it names.
    for (const [, to] of expected) {
      const target = operations.find(({ operationId }) => operationId === to);
      expect(JSON.stringify(target)).toContain('"name":"petId"');
    }
  });
});
