import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { nextQuery } from '../../test/support/http/calls.ts';
import { startLenientServer } from './lenient-server.ts';
import { makeRawCases, type RawCase } from './raw-cases.ts';
import { exchangeRaw, type RawResponses } from './raw-exchange.ts';
import { serve } from '../support/serve.ts';
import type { Outcome, Run, TortureTest } from '../support/torture-test.ts';

const smuggledName = 'smuggled';

/** A round sends every case once, all at once. */
const run: Run = async ({ rounds, report, broken }) => {
  await using service = await serve({ broken });
  const port = Number(new URL(service.url).port);
  const outcome = await sendCases(port, rounds, report);
  const smuggled = await countSmuggled(service);
  const isServing = (await service.call('/v1/pets')).status === 200;
  return {
    figures: { ...outcome.figures, 'requests smuggled': smuggled },
    faults: [
      ...outcome.faults,
      ...(smuggled > 0 ? [`${smuggled} smuggled requests were done`] : []),
      ...(isServing ? [] : ['the service no longer responds']),
    ],
  };
};

async function sendCases(port: number, rounds: number, report: (progress: string) => void): Promise<Outcome> {
  const cases = makeRawCases({ key: fixedKey, smuggledName });
  const bare = new Set<string>();
  const faults = new Set<string>();
  for (let done = 1; done <= rounds; done++) {
    const responses = await Promise.all(cases.map(({ bytes }) => exchangeRaw(port, bytes)));
    for (const [index, response] of responses.entries()) {
      const sent = cases[index]!;
      faultsOfCase(sent, response).forEach((fault) => faults.add(fault));
      if (!response.isOurs) bare.add(`${sent.name}: ${response.statuses[0] ?? 'closed'}`);
    }
    report(`${done * cases.length} requests, ${faults.size} faults`);
  }
  return {
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

async function countSmuggled(service: Service): Promise<number> {
  let count = 0;
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    count += (await response.clone().text()).split(`"name":"${smuggledName}"`).length - 1;
    query = nextQuery(response);
  }
  return count;
}

export const hostileHttp: TortureTest = {
  name: 'hostile-http',
  description:
    'raw bytes on a socket: smuggling in all known spellings, broken lines, headers, targets, versions and chunks, pipelining',
  passesWhen: 'nothing malformed is served, nothing smuggled is done, no 5xx',
  rounds: 20,
  unit: 'rounds of all cases',
  run,
  control: {
    description: 'a server that forgives every mistake',
    rounds: 1,
    async run({ rounds, report }) {
      using server = await startLenientServer();
      return await sendCases(server.port, rounds, report);
    },
  },
};
