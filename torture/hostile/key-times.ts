import { Database } from 'bun:sqlite';
import { generateKey } from '../../src/domain/api-key.ts';
import { openConnection } from '../../test/support/http/raw-http.ts';
import type { Service } from '../../test/support/process/process.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { againstBroken } from '../support/against-broken.ts';
import { issueKey, succeed } from '../support/commands.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** Of two kinds that cannot be told apart, the one is slower half of the time; so many requests show 3 µs. */
const mostAwayFromChance = 0.08;
/** The first ones find nothing warm. */
const warmUp = 20;

const run: Run = async ({ rounds, report, broken }) => {
  await using service = await serve({ broken });
  using connection = await openConnection(service.url);
  if (!connection) throw new Error('The service takes no connections.');
  const kinds = Object.entries(await makeKeys(service)).map(([name, key]) => ({
    name,
    key,
    times: [] as number[],
  }));
  for (let done = 0; done < rounds + warmUp; done++) {
    // In turn, so that whatever else the machine does slows all kinds alike.
    for (let turn = 0; turn < kinds.length; turn++) {
      const { key, times } = kinds[(turn + done) % kinds.length]!;
      const startedAt = performance.now();
      const response = await connection.exchange('GET', '/v1/pets', { key });
      if (done >= warmUp) times.push((performance.now() - startedAt) * 1000);
      if (typeof response === 'string' || response.status !== 401) throw new Error('A key was not refused.');
    }
    if (done > 0 && done % 5000 === 0) report(`${done} requests of each kind`);
  }
  const [unknown, ...others] = kinds;
  const told = others.map(({ name, times }) => {
    const slower = unknown!.times.filter((time, index) => time > times[index]!).length;
    return { name, share: slower / rounds };
  });
  return {
    figures: {
      'requests of each kind': rounds,
      ...Object.fromEntries(
        kinds.map(({ name, times }) => [`median of ${name}, µs`, round(percentile(times, 0.5))]),
      ),
      ...Object.fromEntries(
        told.map(({ name, share }) => [`${name}, told by time (0.5 is chance)`, round(share, 3)]),
      ),
    },
    faults: told
      .filter(({ share }) => Math.abs(share - 0.5) > mostAwayFromChance)
      .map(({ name, share }) => `response times tell unknown from ${name} keys (${round(share, 3)})`),
  };
};

async function makeKeys(service: Service): Promise<Record<'unknown' | 'revoked' | 'expired', string>> {
  const { database } = service;
  const revoked = await issueKey(database);
  const expired = await issueKey(database, '--expires', '1h');
  // A service that remembers an accepted key must forget it.
  for (const { key } of [revoked, expired]) await service.callWith(key, '/v1/pets');
  await succeed(['keys', 'revoke', revoked.id, '--database-url', database]);
  // Nobody waits an hour: the key is given an earlier end.
  using store = new Database(database, { readwrite: true, create: false });
  store.run('UPDATE api_keys SET expires_at = created_at WHERE id = ?1', [expired.id]);
  return { unknown: generateKey(), revoked: revoked.key, expired: expired.key };
}

export const keyTimes: TortureTest = {
  name: 'key-times',
  description: 'the response times of unknown, revoked and expired keys, in turn on one connection',
  passesWhen: 'time does not tell the kinds apart',
  rounds: 20_000,
  unit: 'requests of each kind',
  run,
  control: {
    description: 'a key that was accepted once is refused 50 µs later than others',
    rounds: 5000,
    run: againstBroken(run, 'remembered-keys'),
  },
};
