import { afterAll, describe, expect, it } from 'bun:test';
import { nextQuery } from '../../support/http/calls.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openService } from '../../support/http/service.ts';
import { listen, type Listening } from '../../support/http/socket.ts';
import { messages, type Message } from './message-corpus.ts';

/** A caller that reads a whole 201 has added a pet; one that reads anything else, or nothing, has added none. */

const running = new Set<Promise<unknown>>();
const servers: Record<string, Listening> = {};

const service = await openService();
const app = { fetch: (request: Request) => tracked(service.app.fetch(request)) };
servers['http'] = listen(app);
servers['https'] = listen(app, { isSecure: true });
afterAll(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  await service.close();
});

/** A request that the runtime has given up may still be on its way to the store. */
function tracked(outcome: Response | Promise<Response>): Response | Promise<Response> {
  if (!(outcome instanceof Promise)) return outcome;
  running.add(outcome);
  return outcome.finally(() => running.delete(outcome));
}

let sent = 0;

/** Sends a message on its own connection, in these pieces: how many of its pets were acknowledged, how many are stored. */
async function outcomeOf(url: string, message: Message, inPieces: (bytes: string) => string[]) {
  const name = `pet-${(sent += 1)}-`;
  const acknowledged: string[] = [];
  const statuses: number[] = [];
  using connection = await openConnection(url);
  for (const [index, piece] of inPieces(message.bytes(name, service.apiKey)).entries()) {
    if (index > 0) await Bun.sleep(2);
    connection?.write(piece);
  }
  while (message.isUnfinished && running.size === 0) await Bun.sleep(1);
  for (let count = 0; count < message.responses; count++) {
    const response = await connection?.receive();
    if (!(response instanceof Response)) break;
    statuses.push(response.status);
    if (response.status === 201) acknowledged.push(await response.text());
  }
  connection?.[Symbol.dispose]();
  while (running.size > 0) await Promise.allSettled(running);
  const stored = (await storedPets()).filter((pet) => pet.includes(name));
  return { statuses, acknowledged: acknowledged.toSorted(), stored: stored.toSorted() };
}

/** Every pet of the store, as JSON. */
async function storedPets(): Promise<string[]> {
  const pages: string[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    query = nextQuery(response);
    pages.push(await response.text());
  }
  return pages.flatMap((page) => page.slice(1, -1).split(/(?<=\}),/));
}

const whole = (bytes: string): string[] => [bytes];
/** The end of the body and what follows it stay together: what comes in a later packet is another message. */
const threePieces = (bytes: string): string[] => {
  const bodyEnd = bytes.indexOf('"categoryId"') + 5;
  return [bytes.slice(0, 40), bytes.slice(40, bodyEnd), bytes.slice(bodyEnd)];
};

for (const [scheme, corpus] of [
  ['http', messages],
  // Over TLS the runtime closes a connection on which requests are pipelined.
  ['https', messages.filter(({ responses }) => responses < 2)],
] as const) {
  for (const [form, inPieces] of [
    ['in one piece', whole],
    ['in three pieces', threePieces],
  ] as const) {
    describe(`a pet is acknowledged if and only if it is stored, over ${scheme}, ${form}`, () => {
      for (const message of corpus) {
        it(message.title, async () => {
          const { url } = servers[scheme]!;
          const { statuses, acknowledged, stored } = await outcomeOf(url, message, inPieces);
          expect(acknowledged).toEqual(stored);
          if (message.adds !== undefined) expect(stored).toHaveLength(message.adds);
          if (message.status !== undefined && inPieces === whole) expect(statuses).toEqual([message.status]);
        });
      }

      it('holds for all messages at the same time', async () => {
        const { url } = servers[scheme]!;
        const outcomes = await Promise.all(
          [...corpus, ...corpus].map((message) => outcomeOf(url, message, inPieces)),
        );
        for (const { acknowledged, stored } of outcomes) expect(acknowledged).toEqual(stored);
      });
    });
  }
}
