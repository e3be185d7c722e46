import { metricsUrl, scrape, type Scrape } from '../../test/support/metrics/scrape.ts';
import { againstBroken, breakProgram, type Patch } from '../support/broken-program.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';
import { scrapeAllAlong } from './scrape-all-along.ts';
import { callAndCount, kindOf, type Seen } from './counting-callers.ts';

/** The second number is enough where times are not judged. */
const requestCounts = [40, 10] as const;
const connections = 200;
/** One caller in four shares a key, whose limit is soon used up. */
const perMinute = 100;
const durations = 'http_server_request_duration_seconds_count';

/** So that a few hundred callers overload the service, and not only ten thousand. */
const shortQueue: Patch = {
  file: 'src/sqlite/open.ts',
  find: 'maxQueuedWrites = 10_000',
  replace: 'maxQueuedWrites = 8',
};

/** A round is a service on its own, first with callers that wait for each response, then with some that do not. */
const run: Run = async ({ rounds, report, program, isTimed = true }) => {
  const requestsEach = requestCounts[isTimed ? 0 : 1];
  using own = program === undefined ? breakProgram([shortQueue]) : undefined;
  const faults: string[] = [];
  const totals = { requests: 0, cut: 0, overloaded: 0, limited: 0, scrapes: 0 };
  for (let round = 1; round <= rounds; round++) {
    const keys = Array.from({ length: connections }, (_, index) => `key-${index % 4 === 0 ? 0 : index}`);
    await using service = await serve({
      args: ['--metrics-port', '0', '--rate-limit', String(perMinute)],
      env: { API_KEYS: [...new Set(keys)].join(',') },
      program: program ?? own?.program,
    });
    const url = await metricsUrl(service);
    const scraping = scrapeAllAlong(url);
    const load = { port: Number(new URL(service.url).port), connections, requestsEach };
    const keyOf = (connection: number): string => keys[connection] ?? '';

    const patient = await callAndCount({ ...load, keyOf, cutEvery: 0 });
    faults.push(...differences(await scrape(url), patient));

    const impatient = await callAndCount({ ...load, keyOf, cutEvery: 5 });
    const { count, fallen } = await scraping.stop();
    const seen = added(patient, impatient);
    faults.push(...differences(await scrape(url), seen).map((fault) => `with cuts: ${fault}`));
    faults.push(...fallen.slice(0, 5).map((series) => `${series} fell between two scrapes`));

    totals.requests += 2 * connections * requestsEach;
    totals.cut += seen.cut;
    totals.overloaded += seen.responses.get(kindOf('POST', 503, 'overloaded')) ?? 0;
    totals.limited += sum(seen, (kind) => kind.endsWith('rate_limited'));
    totals.scrapes += count;
    report(`${round} services, ${totals.requests} requests, ${totals.scrapes} scrapes`);
  }
  if (totals.overloaded === 0) faults.push('no request was refused as overloaded');
  if (totals.limited === 0) faults.push('no request was refused by the rate limit');
  return {
    figures: {
      services: rounds,
      'requests sent': totals.requests,
      'cut by the caller': totals.cut,
      '503 overloaded': totals.overloaded,
      '429 rate_limited': totals.limited,
      'scrapes meanwhile': totals.scrapes,
      'wrong figures': faults.length,
    },
    faults,
  };
};

/** Compares the counts of a scrape with what callers have seen. A request that was cut may have been counted, or not. */
function differences(metrics: Scrape, seen: Seen): string[] {
  const check = (what: string, counted: number, expected: number): string[] =>
    counted >= expected && counted <= expected + seen.cut
      ? []
      : [`${what}: ${counted} counted, ${expected} seen, ${seen.cut} cut`];
  const kinds = [...seen.responses].flatMap(([kind, expected]) => {
    const [method = '', status = '', code] = kind.split(' ');
    const counted = metrics.value(durations, {
      http_request_method: method,
      http_route: '/v1/pets',
      http_response_status_code: status,
      ...(Number(status) >= 500 && code !== undefined && { error_type: code }),
    });
    return check(kind, counted, expected);
  });
  const refusals = ['rate_limited', 'invalid_api_key'].flatMap((reason) => {
    const counted = metrics.value('petstore_keys_refused_total', { reason });
    return check(
      `keys refused as ${reason}`,
      counted,
      sum(seen, (kind) => kind.endsWith(reason)),
    );
  });
  return [
    ...check(
      'all requests',
      metrics.value(durations),
      sum(seen, () => true),
    ),
    ...kinds,
    ...refusals,
  ];
}

function sum({ responses }: Seen, isCounted: (kind: string) => boolean): number {
  return [...responses].reduce((total, [kind, count]) => total + (isCounted(kind) ? count : 0), 0);
}

function added(one: Seen, other: Seen): Seen {
  const responses = new Map(one.responses);
  for (const [kind, count] of other.responses) responses.set(kind, (responses.get(kind) ?? 0) + count);
  return { responses, cut: one.cut + other.cut };
}

export const truthfulMetrics: TortureTest = {
  name: 'metrics',
  description:
    'overload of a write queue of 8, a rate limit, wrong keys and impatient callers, scraped all along',
  passesWhen: 'the counters sum up to what callers saw, by status and code; none ever falls',
  rounds: 6,
  unit: 'services',
  run,
  control: {
    description: 'a request that is refused as overloaded is not counted',
    rounds: 1,
    run: againstBroken(run, [
      shortQueue,
      {
        file: 'src/http/metrics.ts',
        find: '          return childOf(method, status, error).observe(seconds);',
        replace: `          if (error === 'overloaded') return;
          return childOf(method, status, error).observe(seconds);`,
      },
    ]),
  },
};
