import { describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PetstoreError } from '../../src/domain/error.ts';
import type { Job } from '../../src/sqlite/jobs.ts';
import { findStore, type StoreFile } from '../../src/sqlite/opening/find.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { openWriter } from '../../src/sqlite/writer.ts';
import { makeFolder } from '../support/process/process.ts';

function makeStore(path: string): StoreFile {
  writeFileSync(path, '');
  return findStore(path)!;
}

const watch = { problem: () => undefined };
const job: Job = { kind: 'execute', sql: '', values: [] };

describe('a writer thread that dies', () => {
  it.each([
    ['when it starts', 'throw new Error("no start");'],
    [
      'at its first batch',
      'self.onmessage = ({ data }) => { if (Array.isArray(data)) throw new Error("no"); };',
    ],
  ])('%s fails its jobs at once and is restarted', async (_when, source) => {
    using folder = makeFolder();
    const program = pathToFileURL(join(folder.path, 'thread.ts'));
    await writeFile(program, source);
    const writer = openWriter({ store: makeStore(folder.database), watch, maxQueuedJobs: 10, program });
    for (const result of await Promise.allSettled([writer.run(job), writer.run(job)])) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(PetstoreError);
    }

    await writeFile(program, `self.onmessage = () => self.postMessage([{ result: null }]);`);
    while ((await Promise.allSettled([writer.run(job)]))[0].status === 'rejected') await Bun.sleep(10);
  });

  it('does not prevent the store from closing', async () => {
    using folder = makeFolder();
    const program = pathToFileURL(join(folder.path, 'thread.ts'));
    await writeFile(program, 'throw new Error("no start");');
    const writer = openWriter({ store: makeStore(folder.database), watch, maxQueuedJobs: 10, program });
    await Promise.allSettled([writer.run(job)]);
    await writer.close();
  });
});

describe('a batch that fails', () => {
  it('is reported with its own reason, even if it cannot be rolled back', async () => {
    using folder = makeFolder();
    const program = pathToFileURL(join(folder.path, 'thread.ts'));
    await writeFile(
      program,
      `import { Database } from 'bun:sqlite';
       import ${JSON.stringify(join(import.meta.dir, '../../src/sqlite/writer-thread.ts'))};
       const { run } = Database.prototype;
       Database.prototype.run = function (sql, ...values) {
         if (sql === 'ROLLBACK') throw new Error('cannot roll back');
         return run.call(this, sql, ...values);
       };`,
    );
    await openSqliteStore({ path: folder.database }).close();
    const store = findStore(folder.database)!;
    const writer = openWriter({ store, watch, maxQueuedJobs: 10, program });
    const failed = writer.run({ kind: 'execute', sql: 'DELETE FROM no_table', values: [] });
    expect(await failed.catch((error: unknown) => String(error))).toContain('no such table');
    await writer.close();
  });
});
