import { describe, expect, it } from 'bun:test';
import { makeFolder, startService, type Service } from '../support/process/process.ts';
import { expectStoreToMatch, startLoad, type Journal, type Load } from '../support/journal.ts';

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
});

/** A random moment within the stream of creates, not a quiet one between two rounds. */
function untilMoreIsAcknowledged(load: Load): Promise<boolean> {
  return load.untilAcknowledged(20 + Math.floor(Math.random() * 80));
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
