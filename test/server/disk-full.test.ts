import { describe, expect, it } from 'bun:test';
import { errorOf, outcomeOf, post } from '../support/http/calls.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { limitedTo, makeFolder, runCli, type Service, startService } from '../support/process/process.ts';
import { metricsUrl, scrape } from '../support/metrics/scrape.ts';
import { expectStoreToMatch, Journal } from '../support/journal.ts';
import { createPet } from '../support/changes.ts';

/** Room for the schema and a few hundred pets in the log of the store. */
const maxBytes = 1024 ** 2;

describe('a full disk', () => {
  it('refuses writes without losing any, serves reads, and accepts writes again once there is room', async () => {
    await using service = await startService({ wrap: limitedTo(maxBytes), args: ['--metrics-port', '0'] });
    const metrics = await metricsUrl(service);
    const health = () => runCli(['health', '--port', new URL(service.url).port]);
    const journal = new Journal();
    const refusal = await createUntilRefused(service, journal);
    expect(journal.acknowledged.size).toBeGreaterThan(10);
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get('Retry-After')).toBe('1');
    // SQLite calls it a failed write, after which nobody knows what the disk holds.
    expect(await errorOf(refusal)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the outcome of this write is unknown'),
    });

    // A pet that needs fewer pages than the refused one may still fit.
    for (let count = 0, refusedInARow = 0; refusedInARow < 20; count++) {
      const outcome = await outcomeOf(create(service, journal, `full-${count}`));
      expect(outcome).toBeOneOf(['201', '503 unavailable']);
      refusedInARow = outcome === '201' ? 0 : refusedInARow + 1;
      expect(await outcomeOf(service.call('/v1/pets?limit=100'))).toBe('200');
    }
    for (const id of journal.acknowledged.values()) {
      expect(await outcomeOf(service.call(`/v1/pets/${id}`))).toBe('200');
    }
    expect(await outcomeOf(service.call('/readyz'))).toBe('200');
    expect((await scrape(metrics)).value('petstore_writes_failing')).toBe(1);
    expect(await health()).toEqual({
      status: 0,
      stdout: 'ready, but writes fail; the log of the service says why\n',
      stderr: '',
    });

    await liftLimit(service.pid);
    expect(await outcomeOf(create(service, journal, 'first-with-room'))).toBe('201');
    expect((await scrape(metrics)).value('petstore_writes_failing')).toBe(0);
    expect(await health()).toMatchObject({ status: 0, stdout: 'ready\n' });
    const later = Array.from({ length: 50 }, (_, index) => create(service, journal, `later-${index}`));
    expect(new Set((await Promise.all(later)).map(({ status }) => status))).toEqual(new Set([201]));

    expect(await service.stop()).toBe(0);
    expect(service.stdout).toMatch(/"writes fail","reason":"disk I\/O error"[^]+"writes succeed again"/);
    expectStoreToMatch(service.database, journal);
  });

  const noFirstKey =
    'The store is new and its first API key could not be written. ' +
    'Make room on the disk, or choose another file with --database-url.';

  it.each([
    ['serve', noFirstKey],
    ['keys create --name till', 'The store failed: disk I/O error.'],
  ])('stops petstore %s, which could not store its key', async (command, message) => {
    using folder = makeFolder();
    // While it is open, its log stays as long as it is: past the limit of the command.
    const store = openSqliteStore({ path: folder.database });
    try {
      const pets = Array.from({ length: 30 }, () => ({ name: 'x'.repeat(4000), categoryId: 1n }));
      for (const pet of pets) await store.pets.apply(createPet(pet));
      const result = await runCli(command.split(' '), {
        env: { DATABASE_URL: folder.database },
        wrap: limitedTo(50 * 1024),
      });
      expect(result).toMatchObject({ status: 1, stderr: `petstore: ${message}\n` });
      expect(result.stdout).not.toContain('pets_');
    } finally {
      await store.close();
    }
  });
});

async function createUntilRefused(service: Service, journal: Journal): Promise<Response> {
  for (let count = 0; ; count++) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) => create(service, journal, `pet-${count}-${index}`)),
    );
    const refusal = answers.find(({ status }) => status !== 201);
    if (refusal) return refusal;
  }
}

async function create(service: Service, journal: Journal, name: string): Promise<Response> {
  journal.attempted.add(name);
  const answer = await service.call('/v1/pets', post({ name, categoryId: 1 }));
  if (answer.status === 201) {
    journal.acknowledged.set(name, answer.headers.get('Location')?.split('/').at(-1) ?? '');
  }
  return answer;
}

async function liftLimit(pid: number): Promise<void> {
  const child = Bun.spawn(['prlimit', '--pid', String(pid), '--fsize=unlimited'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await child.exited).toBe(0);
}
