import { describe, expect, it } from 'bun:test';
import type { Applied } from '../../../src/domain/change.ts';
import type { PetStore } from '../../../src/stores/store.ts';
import { idsOf } from '../../support/http/calls.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openService, openTemporarySqlite, type Service } from '../../support/http/service.ts';
import { listen } from '../../support/http/socket.ts';
import { openListeningService } from '../../support/http/listening.ts';

/**
 * What the runtime takes from us, as SECURITY.md tells it: bytes that arrive while a create is being committed end its
 * connection, and over TLS a pipelined request does too. A test that fails here means that SECURITY.md can promise more.
 */

interface HeldService extends Service {
  /** Resolves when a create was handed over. */
  handedOver: Promise<void>;
  /** Lets it be committed; resolves when it is. */
  commit(): Promise<void>;
}

/** A real store that begins to commit when it is told to. */
async function openHeldService(): Promise<HeldService> {
  const store = await openTemporarySqlite();
  const handedOver = Promise.withResolvers<void>();
  const permission = Promise.withResolvers<void>();
  let committed: Promise<Applied> | undefined;
  const pets: PetStore = {
    ...store.pets,
    apply(change) {
      committed = permission.promise.then(() => store.pets.apply(change));
      handedOver.resolve();
      return committed;
    },
  };
  return {
    ...(await openService({ openStore: async () => ({ ...store, pets }) })),
    handedOver: handedOver.promise,
    async commit() {
      permission.resolve();
      await committed;
    },
  };
}

const body = '{"name":"Rex","categoryId":1}';
const head = (key: string, framing: string): string =>
  `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const counted = (key: string): string => head(key, `Content-Length: ${body.length}`) + body;
const inChunks = (key: string): string =>
  `${head(key, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
const list = (key: string): string =>
  `GET /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const forms: [
  title: string,
  first: (key: string) => string,
  late: (key: string) => string,
  got: 400 | 'unanswered',
][] = [
  ['a trailer', inChunks, () => 'X-Trailer: y\r\n\r\n', 400],
  ['a stray line end', counted, () => '\r\n', 400],
  ['another request', counted, list, 'unanswered'],
];

describe('bytes that arrive while a create is being committed', () => {
  for (const [title, first, late, expected] of forms) {
    it(`end its connection without a response: ${title}`, async () => {
      await using service = await openHeldService();
      await using server = listen(service.app);
      using connection = await openConnection(server.url);
      connection?.write(first(service.apiKey));
      await service.handedOver;
      connection?.write(late(service.apiKey));
      const response = await connection?.receive();
      expect(response instanceof Response ? response.status : response).toBe(expected);
      await service.commit();
      expect(idsOf(await (await service.call('/v1/pets')).text())).toHaveLength(1);
    });
  }

  it('may be the line end of the last chunk, which the runtime does not wait for', async () => {
    await using service = await openHeldService();
    await using server = listen(service.app);
    using connection = await openConnection(server.url);
    connection?.write(inChunks(service.apiKey));
    await service.handedOver;
    connection?.write('\r\n');
    await service.commit();
    expect(await connection?.receive()).toMatchObject({ status: 201 });
  });
});

describe('a request pipelined behind a create over TLS', () => {
  it('ends the connection without a response, although the pet is stored', async () => {
    await using service = await openHeldService();
    await using server = listen(service.app, { isSecure: true });
    using connection = await openConnection(server.url);
    connection?.write(counted(service.apiKey) + list(service.apiKey));
    await service.handedOver;
    expect(await connection?.receive()).toBe('unanswered');
    await service.commit();
    expect(idsOf(await (await service.call('/v1/pets')).text())).toHaveLength(1);
  });
});

describe('pipelined reads', () => {
  it('are served by a store that responds at once, and are cut off otherwise', async () => {
    await using service = await openListeningService();
    using connection = await openConnection(service.url);
    connection?.write(list(service.apiKey).repeat(3));
    const expected = process.env['TEST_STORE'] === undefined ? 200 : 'unanswered';
    for (let count = 0; count < 3; count++) {
      const response = await connection?.receive();
      expect(response instanceof Response ? response.status : response).toBe(expected);
    }
  });
});
