import { describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStore } from '../../../src/stores/sqlite/file.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { openWriter } from '../../../src/stores/sqlite/writer.ts';
import { createPet } from '../../support/changes.ts';
import { makeFolder } from '../../support/process/process.ts';
import { withThreads } from './with-threads.ts';

const sqlite = join(import.meta.dir, '../../../src/stores/sqlite');

describe('a writer that dies', () => {
  it('ends the process', () => {
    using folder = makeFolder();
    const [program, dying] = ['program.ts', 'dying.ts'].map((name) => join(folder.path, name));
    writeFileSync(dying!, 'throw new Error("no start");');
    writeFileSync(
      program!,
      `import { openSqliteStore } from ${JSON.stringify(join(sqlite, 'open.ts'))};
       const { Worker } = globalThis;
       globalThis.Worker = class extends Worker {
         constructor(url) {
           super(String(url).includes('writer-thread') ? ${JSON.stringify(dying)} : url);
         }
       };
       const store = openSqliteStore({ path: ${JSON.stringify(folder.database)} });
       store.pets.apply({ kind: 'create-pet', pet: { name: 'Rex', categoryId: 1n } }).finally(() => process.exit(0));`,
    );
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, program!]);
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining('The writer thread died')]);
  });
});

describe('a batch that fails', () => {
  it('is reported with its own reason, even if it cannot be rolled back', async () => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    const source = `
      import { Database } from 'bun:sqlite';
      import ${JSON.stringify(join(sqlite, 'writer-thread.ts'))};
      const { run } = Database.prototype;
      Database.prototype.run = function (sql, ...values) {
        if (sql === 'ROLLBACK') throw new Error('cannot roll back');
        return run.call(this, sql, ...values);
      };`;
    await withThreads(source, async () => {
      const watch = { problem: () => undefined };
      const writer = openWriter(findStore(folder.database)!, watch, {});
      const impossible = createPet({ name: 'Rex', categoryId: 1n, status: 'flying' as 'sold' });
      const failed = writer.apply({ ...impossible, at: 0 });
      expect(await failed.catch((error: unknown) => String(error))).toContain('CHECK constraint failed');
      await writer.close();
    });
  });
});
