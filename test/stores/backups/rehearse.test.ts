import { describe, expect, it } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { addBackup, type Backup, listBackups, rehearse } from '../../../src/stores/backups/backups.ts';
import { type BackupPlace, openPlace } from '../../../src/stores/backups/places.ts';
import { noReport } from '../../../src/system/progress.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { failureOf } from '../../support/failure.ts';
import { makeFolder } from '../../support/process/process.ts';
import { between, randomFrom } from '../../support/random.ts';
import { openS3Server } from '../../support/s3-server.ts';
import { createPet } from '../../support/changes.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe(`20 random rehearsals, SEED=${seed}`, () => {
  it('find every backup sound, and every backup with a changed byte damaged', async () => {
    const random = randomFrom(seed);
    await using s3 = await openS3Server();
    using folder = makeFolder();
    mkdirSync(join(folder.path, 'backups'));
    const places = [openPlace(join(folder.path, 'backups'), {}), openPlace('s3://shop/rehearsals', s3.env)];
    // The store grows from backup to backup.
    for (let count = 0; count < 6; count++) {
      await grow(folder.database, between(random, 1, 80));
      const place = places[count % 2]!;
      await addBackup({ place, store: folder.database, keep: undefined, report: noReport });
    }
    const all: [BackupPlace, Backup][] = [];
    for (const place of places) for (const backup of await listBackups(place)) all.push([place, backup]);
    expect(all).toHaveLength(6);

    for (let count = 0; count < 20; count++) {
      const [place, backup] = random.pick(all);
      const { content } = await rehearse(place, backup.name, noReport);
      expect(content.petCount).toBeGreaterThan(0);
      const rotten = rotting(place, between(random, 0, backup.bytes - 1));
      expect(String(await failureOf(rehearse(rotten, backup.name, noReport)))).toContain('is damaged');
    }
  });
});

async function grow(path: string, pets: number): Promise<void> {
  const store = openSqliteStore({ path });
  const status = (index: number) => (index % 3 === 0 ? 'sold' : 'available');
  for (let index = 0; index < pets; index++) {
    await store.pets.apply(createPet({ name: `pet ${index}`, categoryId: 1n, status: status(index) }));
  }
  await issueKey(store.keys, { name: 'till', now: new Date() });
  await store.close();
}

/** The same place after a byte on its disk has changed. */
function rotting(place: BackupPlace, position: number): BackupPlace {
  return {
    ...place,
    async fetch(name, path) {
      await place.fetch(name, path);
      const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
      bytes[position]! ^= 1;
      await Bun.write(path, bytes);
    },
  };
}
