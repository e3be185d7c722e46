import { createServer, type AddressInfo } from 'node:net';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { nextQuery } from '../../test/support/http/calls.ts';
import { makeRawCases, type RawCase } from './raw-cases.ts';
import { exchangeRaw, type RawResponses } from './raw-exchange.ts';
import { serve } from '../support/serve.ts';
import type { Outcome, Run, TortureTest } from '../support/torture-test.ts';

const smuggledName = 'smuggled';

/** A round sends every case once, all at once. */
const run: Run = async ({ rounds, report, broken }) => {
  await using service = await serve({ broken });
  const { created, ...outcome } = await sendCases(service.url, rounds, report);
  const { smuggled, stored } = await countPets(service);
  const isServing = (await service.call('/v1/pets')).status === 200;
  return {
    figures: { ...outcome.figures, 'requests smuggled': smuggled },
    faults: [
      ...outcome.faults,
      ...(smuggled > 0 ? [`${smuggled} smuggled requests were done`] : []),
      ...(stored === created ? [] : [`${created} creates were acknowledged, and ${stored} pets are there`]),
      ...(isServing ? [] : ['the service no longer responds']),
    ],
  };
};

async function sendCases(
  url: string,
  rounds: number,
  report: (progress: string) => void,
): Promise<Outcome & { created: number }> {
  const cases = makeRawCases({ key: fixedKey, smuggledName });
  const bare = new Set<string>();
  const faults = new Set<string>();
  let created = 0;
  for (let done = 1; done <= rounds; done++) {
    const responses = await Promise.all(cases.map(({ bytes }) => exchangeRaw(url, bytes)));
    for (const [index, response] of responses.entries()) {
      const sent = cases[index]!;
      created += response.statuses.filter((status) => status === 201).length;
      faultsOfCase(sent, response).forEach((fault) => faults.add(fault));
      if (!response.isOurs) bare.add(`${sent.name}: ${response.statuses[0] ?? 'closed'}`);
    }
    report(`${done * cases.length} requests, ${faults.size} faults`);
  }
  return {
    created,
    figures: {
      cases: cases.length,
      requests: cases.length * rounds,
      'refused by the platform, without an error body': bare.size,
    },
    faults: [...faults],
  };
}

function faultsOfCase(
  { name, expected, responses = 1 }: RawCase,
  { statuses, isOurs, body }: RawResponses,
): string[] {
  const [status] = statuses;
  const is = (isWanted: boolean, wanted: string) =>
    isWanted ? [] : [`${name}: ${wanted}, got ${statuses.join(' ') || 'no response'}`];
  return [
    ...(expected === 'refused'
      ? is(
          status === undefined || (status >= 400 && status < 500) || status === 501 || status === 505,
          'must be refused',
        )
      : []),
    ...(expected === 'served'
      ? is(
          statuses.length === responses && statuses.every((each) => each < 400),
          `must be served ${responses} times`,
        )
      : []),
    ...(expected === 'handled'
      ? is(status === undefined || status < 500 || status === 501 || status === 505, 'must not fail')
      : []),
    ...(isOurs &&
    status !== undefined &&
    status >= 400 &&
    !/^\{"code":"\w+","message":".+","status":\d{3}\}$/.test(body)
      ? [`${name}: no error body`]
      : []),
  ];
}

async function countPets(service: Service): Promise<{ smuggled: number; stored: number }> {
  const names: string[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    query = nextQuery(response);
    names.push(...((await response.json()) as { name: string }[]).map(({ name }) => name));
  }
  return { smuggled: names.filter((name) => name === smuggledName).length, stored: names.length };
}

/** Takes whatever looks like the end of a request for one, and serves it: what no server should do. */
async function startLenientServer(): Promise<{ url: string } & Disposable> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const requests = bytes.toString('latin1').split(/\r?\n\r?\n/).length - 1;
      socket.write('HTTP/1.1 200 OK\r\nX-Request-Id: 1\r\nContent-Length: 2\r\n\r\n[]'.repeat(requests));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

export const hostileHttp: TortureTest = {
  name: 'hostile-http',
  description:
    'raw bytes on a socket: smuggling in all known spellings, broken lines, headers, targets, versions and chunks, pipelining',
  passesWhen:
    'nothing malformed is served, nothing smuggled is done, a pet is there if and only if 201 said so, no 5xx',
  rounds: 20,
  unit: 'rounds of all cases',
  run,
  control: {
    description: 'a server that forgives every mistake',
    rounds: 1,
    async run({ rounds, report }) {
      using server = await startLenientServer();
      return await sendCases(server.url, rounds, report);
    },
  },
};
