import { Ajv } from 'ajv';
import { describe, expect, it } from 'bun:test';
import { dereference } from '../../../packages/web/src/docs/contract.ts';
import { contractOf, type ContractOptions, toOpenapi30 } from '../../../src/http/contract.ts';
import { createDocuments } from '../../../src/http/documents.ts';
import type { Call } from '../../../src/http/route.ts';
import { problemsOfValue } from '../../support/contract/conformance.ts';
import {
  operations,
  readContract,
  stableContract,
  wholeContract,
  type DocumentedOperation,
  type Schema,
} from '../../support/contract/openapi.ts';

interface Document {
  servers: { url: string }[];
  components: Record<string, Record<string, unknown>>;
}

/** What the service responds at this address, with these options. */
async function respond(address: string, options: ContractOptions = {}, headers: Record<string, string> = {}) {
  const { href, pathname } = new URL(address, 'http://localhost');
  const handler = createDocuments(options)[pathname as '/openapi.json'];
  const request = new Request(href, { headers });
  const { body, etag, headers: own } = await handler({ request } as Call);
  return { text: String(body), etag, headers: own };
}

async function documentOf(address: string, options?: ContractOptions, headers?: Record<string, string>) {
  const { text } = await respond(address, options, headers);
  return (address.endsWith('.yaml') ? Bun.YAML.parse(text) : JSON.parse(text)) as Document;
}

describe('/openapi.json', () => {
  it('is the same in YAML', async () => {
    for (const options of [{}, { stableOnly: true }])
      expect(await documentOf('/openapi.yaml', options)).toEqual(await documentOf('/openapi.json', options));
  });

  it('quotes dates in YAML, because YAML 1.1 does not read them as text', async () => {
    const { text: yaml } = await respond('/openapi.yaml');
    expect(yaml).toContain('x-sunset: "2030-12-05"');
    expect(yaml).not.toMatch(/(?:: |- )\d{4}-\d\d/);
  });

  it('omits the marked operations, and everything that only they use, with --stable-only', async () => {
    const stable = await documentOf('/openapi.json', { stableOnly: true });
    expect(JSON.stringify(stable)).not.toMatch(
      /x-stability|updatePet|deletePet|searchPets|getKey|Order|PetUpdate|Category|categories/,
    );
    expect(namesOf(stableContract.operations)).toEqual(['listPets', 'createPet', 'getPet']);
    for (const operation of stableContract.operations) {
      const { responses, ...others } = operation;
      const whole = operations.find(({ operationId }) => operationId === operation.operationId)!;
      expect(others).toEqual({ ...whole, responses: undefined } as typeof others);
      for (const [status, { links, ...response }] of Object.entries(responses)) {
        const { links: all, ...same } = whole.responses[status]!;
        expect(response).toEqual(same);
        expect(Object.keys(links ?? {})).toEqual(Object.keys(all ?? {}).filter((name) => name === 'getPet'));
      }
    }
  });
});

describe('the servers of the documents', () => {
  const publicUrl = 'https://pets.example/v1';
  const stagingUrl = 'https://staging.pets.example/api/v1';
  const documents = ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json'];
  const urlsOf = async (options: ContractOptions) => {
    const all = documents.map(async (path) => {
      const { servers } = await documentOf(path, options);
      return servers.map(({ url }) => url);
    });
    const [urls = [], ...others] = await Promise.all(all);
    for (const other of others) expect(other).toEqual(urls);
    return urls;
  };

  it('begin with the host that serves them, or with the public address', async () => {
    expect(await urlsOf({})).toEqual(['http://localhost/v1']);
    expect(await urlsOf({ stagingUrl })).toEqual(['http://localhost/v1', stagingUrl]);
    expect(await urlsOf({ publicUrl })).toEqual([publicUrl]);
    expect(await urlsOf({ publicUrl, stagingUrl })).toEqual([publicUrl, stagingUrl]);
  });
});

describe('the host of the documents', () => {
  const urlAt = async (origin: string, headers: Record<string, string> = {}, namesHost = false) =>
    (await documentOf(`${origin}/openapi.json`, { namesHost }, headers)).servers[0]?.url;

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'https://127.0.0.1:8443'])(
    'is named on loopback: %s',
    async (address) => {
      expect(await urlAt(address)).toBe(`${address}/v1`);
    },
  );

  it('is left out where a proxy may hide the scheme', async () => {
    expect(await urlAt('http://pets.example')).toBe('/v1');
    expect(await urlAt('http://127.0.0.1.example')).toBe('/v1');
    expect(await urlAt('http://127.0.0.1:8080', { 'X-Forwarded-For': '192.0.2.1' })).toBe('/v1');
    expect(await urlAt('http://127.0.0.1:8080', { Forwarded: 'proto=https' })).toBe('/v1');
  });

  it('is named everywhere if there is no proxy, as in a sandbox', async () => {
    expect(await urlAt('http://sandbox:8080', {}, true)).toBe('http://sandbox:8080/v1');
  });

  it('changes nothing else, and has an ETag of its own', async () => {
    const [local, other] = await Promise.all(
      ['http://127.0.0.1', 'http://pets.example'].map((origin) => respond(`${origin}/openapi.yaml`)),
    );
    expect(local!.text.replace('http://127.0.0.1/v1', '/v1')).toBe(other!.text);
    expect(local!.etag).not.toBe(other!.etag);
  });
});

describe('the parameters of the documents', () => {
  it('have no example that a tool would send by itself to fail or to change the response', () => {
    const withExample = wholeContract.operations.flatMap(({ parameters }) =>
      parameters.filter((parameter) => 'example' in parameter).map(({ name }) => name),
    );
    expect(new Set(withExample)).toEqual(
      new Set(['limit', 'status', 'X-Request-Id', 'petId', 'q', 'id', 'categoryId', 'sort']),
    );
  });
});

it('/petstore.arazzo.yaml is the file of the repository', async () => {
  const { text, headers } = await respond('/petstore.arazzo.yaml');
  expect(headers).toEqual({ 'Content-Type': 'application/yaml' });
  expect(text).toBe(await Bun.file(new URL('../../../petstore.arazzo.yaml', import.meta.url)).text());
});

describe('/openapi-3.0.json', () => {
  const converted = readContract('openapi-3.0.json', toOpenapi30(contractOf({}, 'http://localhost/v1')));

  it('is served', async () => {
    expect(dereference(await documentOf('/openapi-3.0.json'))).toEqual(converted.openapi);
    const stable = dereference(await documentOf('/openapi-3.0.json', { stableOnly: true }));
    expect(namesOf(readContract('', stable).operations)).toEqual(namesOf(stableContract.operations));
  });

  it('describes each operation the same way', () => {
    expect(converted.operations.map(withoutSchemas)).toEqual(wholeContract.operations.map(withoutSchemas));
    const { info } = converted.openapi as unknown as { info: { description: string } };
    const { info: original } = wholeContract.openapi as unknown as {
      info: { summary: string; description: string };
    };
    expect(info.description).toBe(`${original.summary}\n\n${original.description}`);
  });

  it('accepts and refuses the same values', () => {
    const all = wholeContract.operations.flatMap((operation, index) => {
      const other = schemasOf(converted.operations[index]!);
      return schemasOf(operation).map((schema, place) => [schema, other[place]!] as const);
    });
    const pairs = withoutRepeats(all);
    expect(pairs.length).toBeGreaterThan(20);
    const judged = pairs.flatMap(([schema, other]) =>
      withoutRepeats(values).map((value) => [
        problemsOfValue(schema, value).length === 0,
        isInstance30(other, value),
        value,
      ]),
    );
    expect(judged.filter(([one, same]) => one !== same)).toEqual([]);
    expect(judged.filter(([one]) => one).length).toBeGreaterThan(50);
  });
});

/** Operations share most of their schemas, and compiling one takes longest. */
function withoutRepeats<Item>(items: Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function namesOf(all: DocumentedOperation[]): string[] {
  return all.map(({ operationId }) => operationId);
}

/** All but the schemas, which the two versions write differently. */
function withoutSchemas(operation: DocumentedOperation): unknown {
  return JSON.parse(
    JSON.stringify(operation, (name, value: unknown) => (name === 'schema' ? 'schema' : value)),
  );
}

/** The schemas of parameters, bodies and headers, in the order of the document. */
function schemasOf(operation: DocumentedOperation): Schema[] {
  const schemas: Schema[] = [];
  JSON.stringify(operation, (name, value: Schema) => {
    if (name === 'schema') schemas.push(value);
    return value;
  });
  return schemas;
}

/** The examples of the document, each also with one field null or of another type; and values that are no objects. */
const candidates: unknown[] = [null, true, 0, 20, 101, 1.5, '', 'sold', 'lost', '"a"', '*', [], {}];
for (const { requestBody, responses } of operations)
  for (const { content = {} } of [requestBody ?? { content: {} }, ...Object.values(responses)])
    for (const { value } of Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))) {
      const [one = {}] = [value].flat() as object[];
      candidates.push(value, one);
      for (const name of Object.keys(one))
        for (const other of [null, 'sold', 7]) candidates.push({ ...one, [name]: other });
    }
const values = new Map(candidates.map((value) => [JSON.stringify(value), value])).values().toArray();

// `nullable` is what OpenAPI 3.0 adds to JSON Schema; Ajv knows it.
const ajv = new Ajv({ strict: false });
ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('int32', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 31 });
ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 });

function isInstance30(schema: Schema, value: unknown): boolean {
  return ajv.compile(schema)(value);
}
