import { afterAll, describe, expect, it } from 'bun:test';
import { experimental, v1 } from '../../support/contract/openapi.ts';
import { outcomeOf } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Experimental operations": the document, and the addresses in it. */

const on = await openService();
const off = await openService({ stableOnly: true });
afterAll(async () => {
  await on.close();
  await off.close();
});

type Json = Record<string, unknown>;
const documentOf = async (path: string, service = on) =>
  (await (await service.callAs(null, path)).json()) as Json;

describe('/openapi.json', () => {
  it('is the stable operations alone with --stable-only', async () => {
    for (const path of ['/openapi.json', '/openapi.yaml']) {
      const text = await (await off.call(path)).text();
      expect(text).not.toMatch(/x-stability|updatePet|deletePet|listOrders|Petstore-Stability/);
    }
  });

  it('is the same in YAML', async () => {
    const yaml = await (await on.call('/openapi.yaml')).text();
    expect(Bun.YAML.parse(yaml)).toEqual(await documentOf('/openapi.json'));
  });

  it('is the same under the name of the experimental operations, unless they are off', async () => {
    for (const format of ['json', 'yaml']) {
      const path = `/openapi.experimental.${format}`;
      const [one, other] = [await on.callAs(null, path), await on.call(`/openapi.${format}`)];
      expect(await one.text()).toBe(await other.text());
      expect(await outcomeOf(off.callAs(null, path))).toBe('401 unauthorized');
      expect(await outcomeOf(off.call(path))).toBe('404 not_found');
    }
  });

  it('is a strict superset: without what is added, it is the document of v1', async () => {
    const [larger, plain] = [await documentOf('/openapi.json'), await documentOf('/openapi.json', off)];
    expect(larger).not.toEqual(plain);
    expect(onlyWhatIsIn(plain, larger)).toEqual(plain);
  });

  it('marks each operation that it adds, and no other', () => {
    const namesOf = ({ operations }: typeof v1) =>
      operations.filter(({ path }) => path !== '/').map(({ operationId }) => operationId);
    const added = namesOf(experimental).filter((name) => !namesOf(v1).includes(name));
    expect(added).toContainValues(['updatePet', 'deletePet', 'listOrders']);
    const marked = experimental.operations.filter((operation) => operation['x-stability'] === 'experimental');
    expect(marked.map(({ operationId }) => operationId)).toEqual(added);
  });

  it('adds nothing to a stable operation', () => {
    for (const operation of v1.operations) {
      const larger = experimental.operations.find(({ operationId }) => operationId === operation.operationId);
      const { responses, ...others } = larger!;
      const { responses: known, ...plain } = operation;
      expect(others).toEqual(plain);
      expect(Object.keys(responses)).toEqual(Object.keys(known));
    }
  });
});

describe('the addresses of the operator', () => {
  const addresses = {
    publicUrl: 'https://pets.example/v1',
    stagingUrl: 'https://staging.pets.example/api/v1',
  };
  const serversOf = async (options: object) => {
    await using service = await openService(options);
    const documents = [
      await documentOf('/openapi.json', service),
      Bun.YAML.parse(await (await service.call('/openapi.yaml')).text()) as Json,
    ];
    for (const document of documents) expect(document['servers']).toEqual(documents[0]!['servers'] as object);
    return documents[0]!['servers'] as { url: string; description: string }[];
  };

  it('come first among the servers of every document, without the /v1 that each path begins with', async () => {
    const servers = await serversOf(addresses);
    expect(servers.slice(0, 2)).toEqual([
      { url: 'https://pets.example', description: 'Production' },
      { url: 'https://staging.pets.example/api', description: 'Staging' },
    ]);
    expect(servers.slice(2)).toEqual(v1.openapi.servers as typeof servers);
    expect(servers.map(({ url }) => `${url}/v1/pets`).slice(0, 2)).toEqual([
      `${addresses.publicUrl}/pets`,
      `${addresses.stagingUrl}/pets`,
    ]);
  });

  it('are optional, each for itself', async () => {
    expect((await serversOf({ publicUrl: addresses.publicUrl })).map(({ url }) => url)).toEqual([
      'https://pets.example',
      'http://127.0.0.1:8080',
      '/',
    ]);
    expect((await serversOf({ stagingUrl: addresses.stagingUrl }))[0]?.description).toBe('Staging');
    expect(await serversOf({})).toEqual(v1.openapi.servers as { url: string; description: string }[]);
  });
});

/** The parts of the larger value that the smaller one has, too; the first items of a list. */
function onlyWhatIsIn(smaller: unknown, larger: unknown): unknown {
  if (Array.isArray(smaller) && Array.isArray(larger)) {
    return smaller.map((item, index) => onlyWhatIsIn(item, larger[index]));
  }
  if (typeof smaller !== 'object' || typeof larger !== 'object' || smaller === null) return larger;
  return Object.fromEntries(
    Object.keys(smaller).map((name) => [name, onlyWhatIsIn((smaller as Json)[name], (larger as Json)[name])]),
  );
}
