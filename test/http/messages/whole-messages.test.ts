import { afterAll, describe, expect, it } from 'bun:test';
import type { Page } from '../../../src/stores/store.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openService } from '../../support/http/service.ts';
import { listen, type Listening } from '../../support/http/socket.ts';

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

/** A raw message around a create, sound or broken. */
interface Message {
  title: string;
  bytes: string;
  /** How many responses to wait for; fewer when the connection closes. */
  responses: number;
  /** How many pets it adds; left out where the runtime decides. */
  adds?: number;
  /** The status of a refusal. A caller that is still writing may not see it. */
  status?: number;
  /** It never ends: the caller hangs up instead of waiting for a response. */
  isUnfinished?: boolean;
}

/** Each message gets a name of its own in place of this one, which is as long. */
const anyName = 'pet-000000';
const pet = `{"name":"${anyName}","categoryId":1}`;
const size = pet.length;
const hex = size.toString(16);
const authorized = `Host: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\n`;
const list = `GET /v1/pets HTTP/1.1\r\n${authorized}\r\n`;
const post = (lines: string, body: string): string =>
  `POST /v1/pets HTTP/1.1\r\n${authorized}Content-Type: application/json\r\n${lines}\r\n\r\n${body}`;
const create = post(`Content-Length: ${size}`, pet);
const inChunks = (chunks: string): string => post('Transfer-Encoding: chunked', chunks);
const chunk = `${hex}\r\n${pet}\r\n`;
const last = '0\r\n\r\n';
const createInChunks = inChunks(chunk + last);
const [start, rest] = [pet.slice(0, 7), pet.slice(7)];

const sound: [title: string, bytes: string][] = [
  ['a counted body', create],
  ['a counted body and Connection: close', create.replace('Host', 'Connection: close\r\nHost')],
  ['a counted body over HTTP/1.0', create.replace('HTTP/1.1', 'HTTP/1.0')],
  ['a caller that waits for 100 Continue', create.replace('Host', 'Expect: 100-continue\r\nHost')],
  ['an absolute target', create.replace('/v1/pets', 'http://petstore/v1/pets')],
  ['a body in one chunk', createInChunks],
  ['a body in two chunks', inChunks(`7\r\n${start}\r\n${rest.length.toString(16)}\r\n${rest}\r\n${last}`)],
  ['a chunk with an extension', inChunks(`${hex};a=b\r\n${pet}\r\n${last}`)],
  ['a chunk size with zeros before it', inChunks(`00${hex}\r\n${pet}\r\n${last}`)],
  ['a last chunk with an extension', inChunks(`${chunk}0;a=b\r\n\r\n`)],
  ['a last chunk of several zeros', inChunks(`${chunk}000\r\n\r\n`)],
];

/** A caller sends more than a create, or less than it says: the runtime decides how much of it counts. */
const broken: [title: string, bytes: string, responses?: number][] = [
  ['CRLF behind a counted body', `${create}\r\n`],
  ['letters behind a counted body', `${create}junk`],
  ['the start of a request behind a counted body', `${create}GET /v1`],
  ['a trailer', inChunks(`${chunk}0\r\nX-Trailer: y\r\n\r\n`)],
  ['a trailer that names a length', inChunks(`${chunk}0\r\nContent-Length: 5\r\n\r\n`)],
  ['letters instead of the last line', inChunks(`${chunk}0\r\njunk`)],
  ['LF instead of the last line', inChunks(`${chunk}0\r\n\n`)],
  ['CRLF behind the last chunk', `${createInChunks}\r\n`],
  ['letters behind the last chunk', `${createInChunks}junk`],
  ['a second last chunk', createInChunks + last],
  ['a list pipelined behind a create', create + list, 2],
  ['a list pipelined behind a create in chunks', createInChunks + list, 2],
  ['a create pipelined behind a create', create + create, 2],
  ['a create in chunks pipelined behind a create', create + createInChunks, 2],
  ['a create pipelined behind one in chunks', createInChunks + create, 2],
  ['five creates at once', create.repeat(5), 5],
  ['a create pipelined behind a list', list + create, 2],
  ['a create pipelined behind a refused key', list.replace(service.apiKey, 'pets_wrong') + create, 2],
  ['a request without Host pipelined behind a create', `${create}GET /livez HTTP/1.1\r\n\r\n`, 2],
  ['an unknown method pipelined behind a create', `${create}FROBNICATE / HTTP/1.1\r\n\r\n`, 2],
  ['the same length twice', post(`Content-Length: ${size}\r\nContent-Length: ${size}`, pet)],
  ['a length that is too short', post(`Content-Length: ${size - 1}`, pet)],
];

/** None of these may stand beside a Content-Length. */
const encodings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: \vchunked',
  'TRANSFER-ENCODING: CHUNKED',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  ' Transfer-Encoding: chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\0',
  'Transfer-Encoding:\u00a0chunked',
  'Transfer-Encoding: ',
];
const lengths = [
  `${size}\r\nContent-Length: 200`,
  `${size}, 200`,
  `+${size}`,
  '-1',
  `0x${size}`,
  `${size}abc`,
]
  .concat(`${size} 0`, '18446744073709551645', `\r\n ${size}`, '', `${size}.0`)
  .map((length) => `Content-Length: ${length}`)
  .concat(`Content-Length : ${size}`);
const chunkSizes = ['zz', '', '5', `-${hex}`, `+${hex}`, `0x${hex}`, `100000000000000${hex}`, `${hex};a\nb`];
const codings = [', chunked', 'chunked,', 'identity', 'identity, chunked', 'gzip, chunked', 'chunked;q=1'];
/** Read by its Content-Length, all that follows is the body; read in chunks, it is another create. */
const hidden = last + create;
const lengthCoversAll = (line: string): string => post(`${line}\r\nContent-Length: ${hidden.length}`, hidden);
/** The other way round. */
const chunksCoverAll = (line: string): string =>
  post(`Content-Length: 4\r\n${line}`, `${create.length.toString(16)}\r\n${create}\r\n${last}`);

const refused: [title: string, bytes: string, status?: number][] = [
  ['no length at all', post('X: x', pet)],
  ...encodings.flatMap((line): [string, string][] => [
    [`${JSON.stringify(line)} and a length that covers all`, lengthCoversAll(line)],
    [`${JSON.stringify(line)} and chunks that cover all`, chunksCoverAll(line)],
  ]),
  ['Transfer_Encoding, which is no header of HTTP', lengthCoversAll('Transfer_Encoding: chunked')],
  ...codings.map((coding): [string, string] => [
    `chunks as ${JSON.stringify(coding)}`,
    createInChunks.replace('Encoding: chunked', `Encoding: ${coding}`),
  ]),
  ...lengths.map((line): [string, string] => [
    `${JSON.stringify(line)} and another create behind`,
    post(line, pet + create),
  ]),
  ...chunkSizes.map((chunkSize): [string, string] => [
    `the chunk size ${JSON.stringify(chunkSize)} and another create behind`,
    inChunks(`${chunkSize}\r\n${pet}\r\n${hidden}`),
  ]),
  ['a chunk extension of 20 kB', inChunks(`${hex};${'x'.repeat(20_000)}\r\n${pet}\r\n${last}`), 413],
  ['a chunk without its line end', inChunks(`${hex}\r\n${pet}${hidden}`)],
  ['chunk lines that end in LF', inChunks(`${hex}\n${pet}\n0\n\n${create}`)],
  ['two media types', create.replace('Content-Type', 'Content-Type: text/plain\r\nContent-Type'), 415],
  ['a text', create.replace('application/json', 'text/plain'), 415],
  ['a refused key', create.replace(service.apiKey, 'pets_wrong'), 401],
  ['a body of 100 kB', post('Content-Length: 100000', pet.padEnd(100_000)), 413],
];

const unfinished: [title: string, bytes: string][] = [
  ['a length that is too long', post(`Content-Length: ${size + 1}`, pet)],
  ['no last chunk', inChunks(chunk)],
  ['a chunk shorter than its size', inChunks(`ff\r\n${pet}\r\n`)],
];

const messages: Message[] = [
  ...sound.map(([title, bytes]) => ({ title, bytes, responses: 1, adds: 1 })),
  ...broken.map(([title, bytes, responses = 1]) => ({ title, bytes, responses })),
  ...refused.map(([title, bytes, status = 400]) => ({ title, bytes, status, responses: 1, adds: 0 })),
  ...unfinished.map(([title, bytes]) => ({ title, bytes, responses: 0, adds: 0, isUnfinished: true })),
];

let sent = 0;

/** Sends a message on its own connection, in these pieces: how many of its pets were acknowledged, how many are stored. */
async function outcomeOf(url: string, message: Message, inPieces: (bytes: string) => string[]) {
  const name = `pet-${String((sent += 1)).padStart(6, '0')}`;
  const acknowledged: string[] = [];
  const statuses: number[] = [];
  using connection = await openConnection(url);
  for (const [index, piece] of inPieces(message.bytes.replaceAll(anyName, name)).entries()) {
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
  const stored = (await storedPets()).filter((json) => json.includes(name));
  return { statuses, acknowledged: acknowledged.toSorted(), stored: stored.toSorted() };
}

/** Every pet of the store, as JSON. */
async function storedPets(): Promise<string[]> {
  const pages: string[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const page: Page = await service.pets.listPets({ limit: 100, after });
    pages.push(page.json);
    after = page.next;
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
