import { describe, expect, it } from 'bun:test';
import { chmodSync, copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, makeFolder, startService, type Service } from '../support/process/process.ts';
import { expectStoreToMatch, startLoad, type Journal, type Load } from '../support/journal.ts';
import { childrenOf, isRunning } from '../support/process/process-tree.ts';
import { openConnection } from '../support/http/raw-http.ts';

const rounds = 3;

describe('kill -9', () => {
  it('loses, duplicates and invents nothing when it ends the process under load, three times', async () => {
    using folder = makeFolder();
    let service: Service = await startService({ databaseUrl: folder.database });
    const load = startLoad({ url: () => service.url });
    try {
      for (let round = 0; round < rounds; round++) {
        await untilMoreIsAcknowledged(load);
        await endWithSigkill(service);
        // Reading the file fixes it, so later that is left to the service.
        if (round === 0) expectStoreToMatch(folder.database, load.journal);
        service = await startService({ databaseUrl: folder.database });
      }
      await load.stop();
      expect(await service.stop()).toBe(0);
    } finally {
      await endWithSigkill(service);
    }
    expectEverythingIsSettled(folder.database, load.journal);
  });

  it('loses, duplicates and invents nothing when it ends single workers under load, and they are replaced', async () => {
    await using service = await startService({ workers: 2 });
    const load = startLoad({ url: () => service.url });
    for (let round = 0; round < rounds; round++) {
      const workers = await untilWorkers(service, 2);
      await untilMoreIsAcknowledged(load);
      const victim = workers[round % 2]!;
      process.kill(victim, 'SIGKILL');
      while (isRunning(victim)) await Bun.sleep(5);
    }
    await untilWorkers(service, 2);
    await untilMoreIsAcknowledged(load);
    await load.stop();
    expect(await service.stop()).toBe(0);
    expect(service.stdout.match(/A worker died and is restarted/g)).toHaveLength(rounds);
    expectEverythingIsSettled(service.database, load.journal);
  });

  it('leaves the others serving when it ends a worker that cannot be restarted, until it can', async () => {
    using folder = makeFolder();
    const program = join(folder.path, 'bun');
    copyFileSync(process.execPath, program);
    chmodSync(program, 0o755);
    await using service = await startService({
      workers: 2,
      wrap: ([, ...args]) => [program, ...args],
    });
    const [victim = 0] = await untilWorkers(service, 2);
    // As while a release is being replaced.
    renameSync(program, `${program}.old`);
    process.kill(victim, 'SIGKILL');
    await service.untilLogged(/A worker could not be started/);
    expect((await service.call('/v1/pets')).status).toBe(200);
    renameSync(`${program}.old`, program);
    await untilWorkers(service, 2);
    expect(await service.stop()).toBe(0);
  });

  it('makes the workers stop by themselves when it ends their parent', async () => {
    await using service = await startService({ workers: 2 });
    const workers = await untilWorkers(service, 2);
    process.kill(service.pid, 'SIGKILL');
    const deadline = performance.now() + 30_000;
    while (workers.some(isRunning) && performance.now() < deadline) await Bun.sleep(20);
    const left = workers.filter(isRunning);
    left.forEach(endProcess);
    expect(left).toEqual([]);
    await service.exited;
    expect(service.stdout.match(/"reason":"the parent is gone"/g)).toHaveLength(2);
    expect(service.stdout.match(/"stopped"/g)).toHaveLength(2);
    expect(service.stderr).not.toContain('petstore:');
    using connection = await openConnection(service.url);
    expect(connection).toBeUndefined();
  });
});

/** A random moment within the stream of creates, not a quiet one between two rounds. */
function untilMoreIsAcknowledged(load: Load): Promise<boolean> {
  return load.untilAcknowledged(20 + Math.floor(Math.random() * 80));
}

async function untilWorkers(service: Service, count: number): Promise<number[]> {
  for (;;) {
    const workers = childrenOf(service.pid);
    if (workers.length === count) return workers;
    await Bun.sleep(10);
  }
}

function expectEverythingIsSettled(path: string, journal: Journal): void {
  expectStoreToMatch(path, journal);
  expect(journal.refused).toEqual([]);
  // Creators 0, 2, 4… repeat until they know, so theirs must all be there.
  const persistent = [...journal.attempted].filter((name) => Number(name.split('-')[1]) % 2 === 0);
  expect(persistent.filter((name) => !journal.acknowledged.has(name))).toEqual([]);
  expect(journal.unanswered.size).toBeGreaterThan(0);
}

/** And takes away the folder in which it ran; its store is elsewhere. */
async function endWithSigkill(service: Service): Promise<void> {
  await service[Symbol.asyncDispose]();
}
