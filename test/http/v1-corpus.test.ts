import { describe, expect, it } from 'bun:test';
import { hash } from 'node:crypto';
import { openConnection, type RawConnection } from '../support/http/raw-http.ts';
import { headerOf } from '../support/http/raw-response.ts';
import { openService, openTemporarySqlite, type ServiceOptions } from '../support/http/service.ts';
import { listen } from '../support/http/socket.ts';
import { corpusKey, corpusOrigin, createCorpus, type CorpusRequest } from './v1-corpus.ts';

/** Thousands of requests of v1: their responses are the same in every release, whatever else the service can do. */

const recording = new URL('../fixtures/v1-responses.txt', import.meta.url);
const corpus = createCorpus();

/** The responses of a service on an empty store. */
async function responsesOf(options: ServiceOptions, requests = corpus): Promise<string[]> {
  await using service = await openService({
    apiKeys: [corpusKey],
    allowedOrigins: [corpusOrigin],
    rateLimit: 999_999,
    now: () => 0,
    ...options,
  });
  await using server = listen(service.app);
  return (await replay(server.url, requests)).map(withoutChance);
}

/** Dates and ids of requests differ each time. Where a body stops being JSON is told in the words of a parser. */
function withoutChance(response: string): string {
  const known = response
    .replace(/^Date: .*\r\n/im, '')
    .replace(/^(X-Request-Id: )[\da-f]{8}-[\da-f-]{27}\r$/im, '$1(new)\r');
  const place = /(?<=The body is not valid JSON\.) Line .*(?=","status":400\}$)/;
  return place.test(known) ? known.replace(place, '').replace(/^Content-Length: .*\r\n/im, '') : known;
}

/** Whether a request is for an operation that `--stable-only` removes. */
function isBeyondContract({ method, target }: CorpusRequest): boolean {
  if (/^\/v1\/store\/orders(?:\?|$)/.test(target)) return true;
  return /^(?:PATCH|DELETE)$/.test(method) && /^\/v1\/pets\/[^/]+$/.test(target);
}

/** Takes the methods of the beta operations out of a list of methods, and out of the message of a 405. */
function withoutTheirMethods(response: string): string {
  const shorter = response.replaceAll(/(?:, PUT)?, PATCH, DELETE/g, '');
  if (!/allowed are GET, HEAD, OPTIONS\.","status":405\}$/.test(shorter)) return shorter;
  const cut = (response.length - shorter.length) / 2;
  return shorter.replace(
    /^(Content-Length: )(\d+)/im,
    (_whole, name: string, length: string) => name + (Number(length) - cut),
  );
}

/** The order of the headers, and how their names are spelled, is up to the runtime. */
function summaryOf(response: string, index: number): string {
  const [head = '', body = ''] = response.split(/\r\n\r\n([^]*)/);
  const [statusLine = '', ...headers] = head.split('\r\n');
  const lines = headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted();
  const digest = hash('sha256', [statusLine, ...lines, '', body].join('\n'), 'hex').slice(0, 16);
  const { method, target } = corpus[index]!;
  return `${digest} ${statusLine.split(' ')[1] ?? 'none'} ${method} ${JSON.stringify(target)}`;
}

describe('v1', () => {
  it('has a corpus of at least 2,000 requests, of every kind and with every outcome', async () => {
    expect(corpus.length).toBeGreaterThanOrEqual(2000);
    const statuses = new Set(
      (await Bun.file(recording).text()).split('\n').map((line) => line.split(' ')[1]),
    );
    for (const status of [200, 201, 204, 304, 400, 401, 404, 405, 412, 413, 415, 422]) {
      expect(statuses).toContain(String(status));
    }
  });

  it('differs with the beta operations only in their paths, their methods and Allow', async () => {
    const others = corpus.filter((request) => !isBeyondContract(request));
    const stable = await responsesOf({ stableOnly: true }, others);
    const full = await responsesOf({}, others);
    const differences = others
      .map((request, index) => ({ request, stable: stable[index]!, full: full[index]! }))
      .filter((pair) => pair.stable !== withoutTheirMethods(pair.full));
    expect(differences.slice(0, 3)).toEqual([]);
    expect(full).toHaveLength(others.length);
    expect(full).not.toEqual(stable);
  });

  it('marks the response to every request of the corpus for a beta operation', async () => {
    const responses = await responsesOf({}, corpus.filter(isBeyondContract));
    expect(responses.length).toBeGreaterThan(100);
    expect(responses.filter((response) => !/^Petstore-Stability: beta\r$/im.test(response))).toEqual([]);
  });

  /** After a change of v1 that is meant: `RECORD=1 bun test test/http/v1-corpus.test.ts`. */
  it('responds as recorded', async () => {
    const responses = await responsesOf({ openStore: openTemporarySqlite, stableOnly: true });
    const summaries = responses.map(summaryOf);
    if (process.env['RECORD'] === '1') await Bun.write(recording, `${summaries.join('\n')}\n`);
    const recorded = (await Bun.file(recording).text()).trimEnd().split('\n');
    const differences = summaries.flatMap((summary, index) =>
      summary === recorded[index] ? [] : [{ recorded: recorded[index], response: responses[index] }],
    );
    expect(differences.slice(0, 3)).toEqual([]);
    expect(recorded).toHaveLength(corpus.length);
  });
});

/** Sends requests one after the other and gives the bytes of each response, one character for each byte. */
async function replay(url: string, requests: CorpusRequest[]): Promise<string[]> {
  const responses: string[] = [];
  const known = { etag: '"none"', next: '?limit=5' };
  let connection: RawConnection | undefined;
  for (const request of requests) {
    connection ??= await openConnection(url);
    connection?.write(bytesOf(request, known));
    const found = (await connection?.receiveBytes(request.method === 'HEAD')) ?? 'unanswered';
    // A connection that ends without a response gives the empty text.
    const bytes = typeof found === 'string' ? '' : `${found.head}\r\n\r\n${found.body.toString('latin1')}`;
    responses.push(bytes);
    known.etag = headerOf(bytes, 'ETag') ?? known.etag;
    known.next = /<(\?[^>]+)>; rel="next"/.exec(bytes)?.[1] ?? known.next;
    if (bytes !== '' && !/\r\nConnection: close/i.test(bytes)) continue;
    connection?.[Symbol.dispose]();
    connection = undefined;
  }
  connection?.[Symbol.dispose]();
  return responses;
}

function bytesOf({ method, target, headers, body }: CorpusRequest, known: Record<string, string>): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: petstore',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content ? [`Content-Length: ${content.length}`] : []),
  ].map((line) => line.replace(/\{(etag|next)\}/g, (_whole, name: string) => known[name] ?? ''));
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), content ?? Buffer.alloc(0)]);
}
