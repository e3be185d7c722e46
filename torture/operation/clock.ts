import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idsOf, post } from '../../test/support/http/calls.ts';
import { between, randomFrom } from '../../test/support/random.ts';
import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import { issueKey } from '../support/issue-key.ts';
import { missingCompiler } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const hour = 3600;
const day = 24 * hour;

/** How long the keys of the test live, in hours from the true time. */
const lifetimes = [1, 12, 36] as const;

const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  using folder = makeFolder();
  const shiftFile = join(folder.path, 'shift');
  const moveClock = (seconds: number) => writeFileSync(shiftFile, String(Math.round(seconds)));
  moveClock(0);
  const env = { LD_PRELOAD: compile(folder.path), CLOCK_SHIFT_FILE: shiftFile };
  await using service = await serve({ databaseUrl: folder.database, program, env });
  const keys = await Promise.all(
    lifetimes.map((hours) => issueKey(folder.database, '--expires', `${hours}h`)),
  );

  let wrongExpiry = 0;
  let doubled = 0;
  let checks = 0;
  let refusals = 0;
  let largestId = 0n;
  const ids = new Set<string>();
  for (let done = 1; done <= rounds; done++) {
    moveClock(0);
    const body = post({ name: `round ${done}`, categoryId: done }, { 'Idempotency-Key': `round-${done}` });
    const [first = ''] = await create(service, body);
    if (ids.has(first) || BigInt(first) <= largestId) doubled += 1;
    ids.add(first);
    largestId = BigInt(first);

    const shift = random.pick([-day, day, between(random, -day, day), between(random, -2 * hour, 2 * hour)]);
    moveClock(shift);
    // The same request a day away must not make another pet, in either direction.
    const [again] = await create(service, body);
    if (again !== first) doubled += 1;
    for (const [index, { key }] of keys.entries()) {
      const isExpired = shift >= lifetimes[index]! * hour;
      const { status } = await service.callWith(key, '/v1/pets?limit=1');
      checks += 1;
      if (status !== (isExpired ? 401 : 200)) wrongExpiry += 1;
      if (status === 401) refusals += 1;
    }
    if (done % 20 === 0)
      report(`${done} moves of the clock, ${doubled} doubled, ${wrongExpiry} wrong expiries`);
  }
  return {
    figures: {
      'clock moves': rounds,
      'expiry checks': checks,
      'wrong expiry': wrongExpiry,
      'doubled ids or pets': doubled,
    },
    faults: [
      ...(refusals === 0 ? ['no key ever expired: the clock did not move'] : []),
      ...(wrongExpiry > 0 ? [`${wrongExpiry} keys were taken for expired, or not`] : []),
      ...(doubled > 0 ? [`${doubled} ids or pets were doubled`] : []),
    ],
  };
};

async function create(service: Service, init: RequestInit): Promise<string[]> {
  return idsOf(await (await service.call('/v1/pets', init)).text());
}

function compile(folder: string): string {
  const library = join(folder, 'shifted-clock.so');
  const source = join(import.meta.dir, 'shifted-clock.c');
  const { success, stderr } = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  if (!success) throw new Error(`shifted-clock.c does not compile: ${stderr.toString()}`);
  return library;
}

export const clock: TortureTest = {
  name: 'clock',
  description: 'the clock of a running service moved by up to a day, forwards and backwards',
  passesWhen: '0 keys wrongly expired or kept; 0 doubled ids, repeated requests included',
  rounds: 200,
  unit: 'clock moves',
  missing: () =>
    process.platform === 'linux' ? missingCompiler() : 'the clock is moved by a preloaded library, on Linux',
  run,
  control: {
    description: 'idempotency keys are kept for 12 hours',
    rounds: 10,
    run: againstBroken(run, [
      {
        file: 'src/domain/pet.ts',
        find: 'idempotencyRetentionMs = 48 * 60',
        replace: 'idempotencyRetentionMs = 12 * 60',
      },
    ]),
  },
};
