import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ withoutDeprecated: true });
});

afterAll(() => sandbox.stop());

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, { ...init, headers: { Authorization: `Bearer ${sandbox.apiKey}` } });

interface Contract {
  paths: Record<string, Record<string, { operationId?: string; deprecated?: boolean }>>;
  components: Record<string, Record<string, unknown>>;
}

describe('a sandbox without deprecated operations', () => {
  it('serves getPet as it serves any unknown path', async () => {
    const [gone, unknown] = [await get('/v1/pets/1'), await get('/v1/unknown')];
    expect(gone.status).toBe(404);
    expect(await gone.text()).toBe(await unknown.text());
    expect(gone.headers.get('Deprecation')).toBeNull();
    expect((await get('/v1/pets/1', { method: 'OPTIONS' })).status).toBe(404);
    expect((await fetch(`${sandbox.url}/v1/pets/1`)).status).toBe(401);
  });

  it('still lists pets', async () => {
    expect((await get('/v1/pets')).status).toBe(200);
  });

  it('leaves getPet and all that only it used out of its contract', async () => {
    const contract = (await (await get('/openapi.json')).json()) as Contract;
    const yaml = await (await get('/openapi.yaml')).text();
    expect(Bun.YAML.parse(yaml)).toEqual(contract);
    expect(Object.keys(contract.paths)).toContain('/v1/pets');
    expect(Object.keys(contract.paths)).not.toContain('/v1/pets/{petId}');
    expect(yaml).not.toMatch(/getPet|deprecat|sunset/i);
    const text = JSON.stringify(contract);
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name!),
    );
    const components = Object.entries(contract.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, group]) => Object.keys(group).map((name) => `${kind}/${name}`));
    expect(new Set(components)).toEqual(references);
  });

  it('leaves it out of its docs', async () => {
    const html = await (await get('/docs')).text();
    expect(html).toContain('listPets');
    expect(html).not.toMatch(/getPet|deprecat/i);
  });
});
