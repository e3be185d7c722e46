import { afterAll, describe, expect, it } from 'bun:test';
import { addPets, errorOf, idsOf, outcomeOf, patch, post, rex } from '../support/http/calls.ts';
import { openPaths } from '../support/contract/open-paths.ts';
import { operations } from '../support/contract/openapi.ts';
import { openService } from '../support/http/service.ts';

/** RFC 9110, sections 13.1.1 and 13.2: what a caller may demand of the representation before it is sent. */

const service = await openService();
const { call } = service;
await addPets(call, 2);
afterAll(() => service.close());

const etagOf = async (path: string): Promise<string> => (await call(path)).headers.get('ETag') ?? '';
const ask = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
  call(path, { method, headers });

const readable = [
  ...operations.filter(({ method }) => method === 'GET'),
  ...openPaths.filter(({ statuses }) => statuses.includes(200)),
].map(({ path }) => path.replace('{petId}', '1').replace('{file}', 'console.js'));

describe('If-Match', () => {
  it.each(readable)('gives 200 to a GET and HEAD of %s when its tag is listed, or for *', async (path) => {
    const etag = await etagOf(path);
    for (const tags of [etag, `"a", ${etag}`, `W/"a",${etag},"b"`, '*', ' * ']) {
      expect((await ask(path, { 'If-Match': tags })).status).toBe(200);
      expect((await ask(path, { 'If-Match': tags }, 'HEAD')).status).toBe(200);
    }
  });

  it.each(readable)('gives 412 to a GET and HEAD of %s when its tag is not listed', async (path) => {
    const etag = await etagOf(path);
    for (const tags of ['"a"', '"*"', '', etag.slice(1, -1), `"a", W/"b"`]) {
      expect(await outcomeOf(ask(path, { 'If-Match': tags }))).toBe('412 precondition_failed');
      expect((await ask(path, { 'If-Match': tags }, 'HEAD')).status).toBe(412);
    }
  });

  it('never matches a weak tag', async () => {
    const etag = await etagOf('/v1/pets');
    expect((await ask('/v1/pets', { 'If-Match': `W/${etag}` })).status).toBe(412);
  });

  it('no longer matches once the page has changed', async () => {
    await using own = await openService();
    const etag = (await own.call('/v1/pets')).headers.get('ETag') ?? '';
    await addPets(own.call, 1);
    expect((await own.call('/v1/pets', { headers: { 'If-Match': etag } })).status).toBe(412);
  });

  it('comes before If-None-Match', async () => {
    const etag = await etagOf('/v1/pets');
    const status = async (match: string, noneMatch: string) =>
      (await ask('/v1/pets', { 'If-Match': match, 'If-None-Match': noneMatch })).status;
    expect(await status('"a"', etag)).toBe(412);
    expect(await status('"a"', '"a"')).toBe(412);
    expect(await status(etag, etag)).toBe(304);
    expect(await status('*', '"a"')).toBe(200);
  });

  it('is ignored when the request fails without it', async () => {
    for (const tags of ['*', '"a"']) {
      expect(await outcomeOf(ask('/v1/pets/0', { 'If-Match': tags }))).toBe('404 not_found');
      expect(await outcomeOf(ask('/v1/pets?limit=0', { 'If-Match': tags }))).toBe('400 invalid_parameter');
      const create = post({}, { 'If-Match': tags });
      expect(await outcomeOf(call('/v1/pets', create))).toBe('400 invalid_pet');
      expect(await outcomeOf(service.callAs(null, '/v1/pets', { headers: { 'If-Match': tags } }))).toBe(
        '401 unauthorized',
      );
    }
  });
});

describe('If-Match on a create', () => {
  const count = async (): Promise<number> => idsOf(await (await call('/v1/pets?limit=100')).text()).length;

  it('accepts *, since the collection always exists', async () => {
    expect((await call('/v1/pets', post(rex, { 'If-Match': '*' }))).status).toBe(201);
  });

  it('is 412 for any tag, and adds nothing', async () => {
    const before = await count();
    for (const tags of ['"a"', await etagOf('/v1/pets'), `W/${await etagOf('/v1/pets')}`, '']) {
      const create = call('/v1/pets', post(rex, { 'If-Match': tags, 'Idempotency-Key': 'conditional' }));
      expect(await errorOf(create)).toMatchObject({ code: 'precondition_failed', status: 412 });
    }
    expect(await count()).toBe(before);
    // The refused create did not use up its key.
    const again = await call('/v1/pets', post(rex, { 'Idempotency-Key': 'conditional' }));
    expect(again.headers.has('Idempotent-Replayed')).toBe(false);
  });
});

describe('a tag', () => {
  /**
   * The names of two versions of a pet, of equal length and with one XXH3, whose secret is public. A lane of 8 bytes adds
   * the product of its halves, each XOR the secret, and itself. Where the second half is the secret, the product is 0, so
   * two such lanes of different stripes may exchange their letters.
   */
  function forgedNames(bytesBefore: number): [string, string] {
    const padding = (from: number, to: number) => 'x'.repeat(to - from);
    const [first, second] = [56, 7 * 64 + 56];
    const nameWith = (one: string, other: string): string =>
      Buffer.concat([
        Buffer.from(`${padding(bytesBefore, first)}${one}xx`),
        Buffer.from('c3813a264c', 'hex'),
        Buffer.from(`${padding(first + 8, second)}${other}xxx`),
        Buffer.from('cdb45931', 'hex'),
        Buffer.from(padding(second + 8, 640)),
      ]).toString();
    return [nameWith('a', 'b'), nameWith('b', 'a')];
  }

  it('cannot be forged', async () => {
    const { id } = (await (await call('/v1/pets', post(rex))).json()) as { id: number };
    const path = `/v1/pets/${id}`;
    const [before, after] = forgedNames(`{"id":${id},"name":"`.length);

    await call(path, patch({ name: before }));
    const first = await call(path);
    const oldTag = first.headers.get('ETag') ?? '';
    const changed = await call(path, patch({ name: after }));
    const second = await call(path);
    expect(Bun.hash.xxHash3(await second.text())).toBe(Bun.hash.xxHash3(await first.text()));

    expect(changed.headers.get('ETag')).not.toBe(oldTag);
    expect((await ask(path, { 'If-None-Match': oldTag })).status).toBe(200);
    expect((await ask(path, { 'If-Match': oldTag })).status).toBe(412);
    expect((await call(path, patch({ name: 'Max' }, { 'If-Match': oldTag }))).status).toBe(412);
    expect((await ask(path, { 'If-Match': oldTag }, 'DELETE')).status).toBe(412);
  });
});
