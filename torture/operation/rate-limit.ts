import { between, randomFrom } from '../../test/support/random.ts';
import type { Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import { issueKey } from '../support/issue-key.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const perMinute = 50;
const callers = 4;

/** A round is a burst: more requests than the limit, of several keys, all at once and in any order. */
const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const faults: string[] = [];
  let requests = 0;
  let limited = 0;
  for (let done = 1; done <= rounds; done++) {
    await using service = await serve({ args: ['--rate-limit', String(perMinute)], program });
    const keys = await Promise.all(Array.from({ length: callers }, () => issueKey(service.database)));
    const bursts = keys.map(({ key }) => ({ key, count: between(random, 1, perMinute * 2) }));
    const responses = await Promise.all(bursts.map(({ key, count }) => burst(service, key, count)));
    for (const [index, { count }] of bursts.entries()) {
      const statuses = (responses[index] ?? []).map(({ status }) => status);
      const served = statuses.filter((status) => status === 200).length;
      const refused = statuses.filter((status) => status === 429).length;
      requests += count;
      limited += refused;
      // A window that ends within the burst may let a few more through; it lasts a minute, a burst a moment.
      if (served !== Math.min(count, perMinute) || served + refused !== count) {
        faults.push(`of ${count} requests of one key, ${served} were served and ${refused} limited`);
      }
      faults.push(...(responses[index] ?? []).flatMap(problemsOf));
    }
    const open = await service.callWith('no key', '/livez');
    if (open.status !== 200) faults.push(`/livez gave ${open.status} under the limit`);
    report(`${done} bursts, ${requests} requests, ${limited} limited`);
  }
  return {
    figures: {
      bursts: rounds,
      requests,
      'limited (429)': limited,
      'wrongly served or refused': faults.length,
    },
    faults,
  };
};

function burst(service: Service, key: string, count: number): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, () => service.callWith(key, '/v1/pets?limit=1')));
}

/** `draft-ietf-httpapi-ratelimit-headers`: a policy and what is left; a 429 also says when to come again. */
function problemsOf({ status, headers }: Response): string[] {
  const problems: string[] = [];
  if (headers.get('RateLimit-Policy') !== `"default";q=${perMinute};w=60`)
    problems.push('RateLimit-Policy is wrong');
  if (!/^"default";r=\d+;t=\d+$/.test(headers.get('RateLimit') ?? '')) problems.push('RateLimit is wrong');
  const seconds = Number(headers.get('Retry-After') ?? NaN);
  if (status === 429 && !(seconds >= 1 && seconds <= 60)) problems.push('Retry-After is wrong');
  return problems;
}

export const rateLimit: TortureTest = {
  name: 'rate-limit',
  description: 'bursts of several keys at once against a limit per key',
  passesWhen: 'each key gets exactly its share; every response says what is left',
  rounds: 10,
  unit: 'bursts',
  run,
  control: {
    description: 'all keys share one count',
    rounds: 1,
    run: againstBroken(run, [
      {
        file: 'src/http/callers/rate-limit.ts',
        find: '    let window = windows.get(caller);',
        replace: "    caller = 'everybody';\n    let window = windows.get(caller);",
      },
    ]),
  },
};
