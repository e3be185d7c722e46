import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addPets, idsOf } from '../../support/http/calls.ts';
import { makeFolder, runCli, startService, type Folder } from '../../support/process/process.ts';
import { copyByHand, damageFile, damageLog, makeCrashedStore } from '../../support/crashed-store.ts';
import { hashesOf } from '../../support/file-hashes.ts';

let folder: Folder;
let store: string;

beforeEach(() => {
  folder = makeFolder();
  store = folder.database;
});
afterEach(() => folder[Symbol.dispose]());

const inFolder = (name: string) => join(folder.path, name);
const run = (...args: string[]) =>
  runCli([...args, '--database-url', store], { cwd: folder.path, env: { PORT: '0', API_KEYS: 'k' } });

async function expectRefused(message: string | RegExp, ...args: string[]): Promise<void> {
  const before = hashesOf(folder.path);
  const { status, stdout, stderr } = await run(...args);
  expect(`${stdout}${stderr}`).toMatch(message);
  expect(status).not.toBe(0);
  expect(hashesOf(folder.path)).toEqual(before);
}

const sideFiles: [string, () => void][] = [
  ['with its log and shared memory', () => {}],
  ['without its shared memory', () => rmSync(`${store}-shm`)],
];

/** Each of these refuses a store before it changes a byte. */
const openers = [['serve'], ['keys', 'create', '--name', 'till'], ['export'], ['backup', 'b.db'], ['doctor']];

describe.each(sideFiles)('a crashed store %s', (_title, prepare) => {
  beforeEach(async () => {
    await makeCrashedStore(store);
    prepare();
  });

  it('is read whole and not changed by petstore doctor', async () => {
    const before = hashesOf(folder.path);
    const { status, stdout } = await run('doctor');
    expect([status, stdout]).toEqual([0, expect.stringContaining('is sound and holds 5')]);
    expect(hashesOf(folder.path)).toEqual(before);
  });

  it.each(['export', 'backup'])('is read and not changed by petstore %s', async (command) => {
    const before = hashesOf(folder.path);
    const out = command === 'export' ? 'out.ndjson' : 'out.db';
    expect(await run(command, out)).toMatchObject({ status: 0 });
    rmSync(inFolder(out));
    expect(hashesOf(folder.path)).toEqual(before);
  });

  it.each(openers)('is refused when it is of a newer release: %s', async (...command) => {
    changePragma('user_version = 99');
    await expectRefused('schema version 99', ...command);
  });

  it.each(openers)('is refused when it is of another program: %s', async (...command) => {
    changePragma('application_id = 5');
    await expectRefused('another program', ...command);
  });

  it.each(openers)('is refused when its file is damaged: %s', async (...command) => {
    // First into the file, then more into the log: damage in the file that the log does not cover.
    await run('seed', '--count', '1000');
    damageFile(store);
    await makeLogAgain();
    prepare();
    await expectRefused('is damaged', ...command);
  });

  it.each(openers)('is refused when its log is damaged: %s', async (...command) => {
    damageLog(store);
    await expectRefused('is damaged', ...command);
  });

  /** Into the log alone, as a process that is killed leaves it. */
  function changePragma(pragma: string): void {
    crash(`database.run('PRAGMA ${pragma}');`);
    prepare();
  }

  async function makeLogAgain(): Promise<void> {
    crash(`database.run('PRAGMA user_version = 3'); database.run('PRAGMA cache_size = 1');`);
  }

  function crash(work: string): void {
    const program = `
      const { Database } = require('bun:sqlite');
      const database = new Database(process.argv[1]);
      ${work}
      process.kill(process.pid, 'SIGKILL');`;
    Bun.spawnSync([process.execPath, '-e', program, store]);
  }
});

describe('a store whose last page is cut off', () => {
  it.each(openers)('is refused by %s, before anything is written to it', async (...command) => {
    await run('seed', '--count', '3');
    truncateSync(store, statSync(store).size - 100);
    await expectRefused('is damaged', ...command);
  });
});

describe('a log whose file was removed', () => {
  it.each<string[]>([['serve'], ['keys', 'create', '--name', 'till'], ['seed', '--count', '1']])(
    'is refused by %s, and no empty file is left beside it',
    async (...command: string[]) => {
      await makeCrashedStore(store);
      rmSync(store);
      await expectRefused('is damaged', ...command);
    },
  );

  it('is reported by petstore doctor, with what to do', async () => {
    await makeCrashedStore(store);
    rmSync(store);
    await expectRefused(
      /PROBLEM +store +\S+ is gone, but its log holds commits.*\n.*petstore restore FILE/,
      'doctor',
    );
  });

  it('is a warning of petstore doctor when it is empty', async () => {
    await run('seed', '--count', '1');
    rmSync(store);
    expect(statSync(`${store}-wal`).size).toBe(0);
    const { status, stdout } = await run('doctor');
    expect(stdout).toMatch(/warning +store +\S+ is gone, .*\n.*petstore restore FILE/);
    expect(status).toBe(0);
  });
});

describe('a store whose log is only a header, as a kill can leave it', () => {
  beforeEach(async () => {
    await run('seed', '--count', '3');
    const other = inFolder('other.db');
    await makeCrashedStore(other);
    const header = readFileSync(`${other}-wal`).subarray(0, 32);
    expect(statSync(`${store}-wal`).size).toBe(0);
    writeFileSync(`${store}-wal`, header);
  });

  it.each(sideFiles)('is read unchanged and served: %s', async (_title, prepare) => {
    prepare();
    const before = hashesOf(folder.path);
    expect(await run('doctor')).toMatchObject({ stdout: expect.stringContaining('is sound and holds 3') });
    expect(idsOf((await run('export')).stdout)).toEqual(['1', '2', '3']);
    expect(hashesOf(folder.path)).toEqual(before);
    await using service = await startService({ databaseUrl: store });
    expect(await addPets(service.call, 2)).toEqual(['4', '5']);
    expect(idsOf((await run('export')).stdout)).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('a backup that was copied by hand over a crashed store, beside its log', () => {
  it('is refused and not changed', async () => {
    await run('seed', '--count', '2000');
    copyByHand(store, inFolder('other.db'));
    await run('seed', '--count', '3000', '--seed', '2');
    await run('keys', 'create', '--name', 'late');
    await run('backup', 'good.db');
    // The log of another state: most of its pages do not fit this file.
    const other = inFolder('other.db');
    await using service = await startService({ databaseUrl: other });
    for (let count = 0; count < 300; count++) {
      await service.call('/v1/pets', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: `Rex ${count}`, categoryId: 1, status: 'sold' }),
      });
    }
    await service.kill9();
    copyByHand(inFolder('good.db'), store, ['']);
    copyByHand(`${other}-wal`, `${store}-wal`, ['']);
    rmSync(`${store}-shm`);
    const before = hashesOf(folder.path);
    const { status } = await run('export');
    expect(hashesOf(folder.path)).toEqual(before);
    expect(status).toBe(1);
    await expectRefused('is damaged', 'serve');
    rmSync(`${store}-wal`);
    expect(await run('doctor')).toMatchObject({ stdout: expect.stringContaining('holds 5,000') });
  });
});

describe('petstore restore over a crashed store', () => {
  beforeEach(async () => {
    await run('seed', '--count', '2');
    await run('backup', 'good.db');
    copyByHand(inFolder('good.db'), inFolder('bad.db'));
    damageFile(inFolder('bad.db'));
    rmSync(store);
    await makeCrashedStore(store);
  });

  it.each([
    ['sound', () => {}],
    ['damaged', () => damageLog(store)],
  ])('changes nothing when it refuses or fails: the log is %s', async (_log, harm) => {
    harm();
    await expectRefused(/add --force|is damaged/, 'restore', 'good.db');
    await expectRefused('is damaged', 'restore', 'bad.db', '--force');
    await expectRefused('There is no backup', 'restore', 'none.db', '--force');
    await expectRefused('is the store itself', 'restore', store, '--force');
    symlinkSync(store, inFolder('link.db'));
    await expectRefused('is the store itself', 'restore', 'link.db', '--force');
  });

  it('keeps the replaced store as it was, with its log', async () => {
    damageLog(store);
    const before = hashesOf(folder.path);
    const { status, stdout } = await run('restore', 'good.db', '--force');
    expect(status).toBe(0);
    const [, kept = ''] = /kept as (\S+)\. /.exec(stdout) ?? [];
    const after = hashesOf(folder.path);
    for (const suffix of ['', '-wal', '-shm']) {
      expect(after[kept.slice(folder.path.length + 1) + suffix]).toBe(before[`petstore.db${suffix}`]);
    }
    expect(idsOf((await run('export')).stdout)).toEqual(['1', '2']);
  });
});

describe('restores of one store at the same time', () => {
  it('leave the whole content of one of them', async () => {
    for (const count of ['100', '20000']) {
      await runCli(['seed', '--count', count, '--database-url', inFolder(`${count}.db`)]);
      await runCli(['backup', inFolder(`b${count}.db`), '--database-url', inFolder(`${count}.db`)]);
    }
    await run('keys', 'create', '--name', 'till');
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(
        ['100', '20000', '100'].map((count) => run('restore', inFolder(`b${count}.db`), '--force')),
      );
      expect(results.some(({ status }) => status === 0)).toBe(true);
      for (const { status, stderr } of results)
        if (status !== 0) expect(stderr).toMatch(/is in use|was replaced/);
      expect(['100', '20000']).toContain(String(idsOf((await run('export')).stdout).length));
    }
  });
});

describe('a pipe', () => {
  it.each<string[]>([['serve'], ['export'], ['restore', 'good.db', '--force'], ['keys', 'list']])(
    'is refused as a store by %s, and left alone',
    async (...command: string[]) => {
      await run('seed', '--count', '1');
      await run('backup', 'good.db');
      const pipe = inFolder('pipe');
      Bun.spawnSync(['mkfifo', pipe]);
      const { status, stderr } = await runCli([...command, '--database-url', pipe], { cwd: folder.path });
      expect([status, stderr]).toEqual([1, expect.stringContaining('is not a file')]);
      expect(statSync(pipe).isFIFO()).toBe(true);
    },
  );
});

describe('a file of the store', () => {
  beforeEach(() => makeCrashedStore(store));

  it.each(['', '-wal', '-shm', '-journal'])(
    'is refused as the output of a command: petstore.db%s',
    async (suffix) => {
      writeFileSync(inFolder('pets.ndjson'), '{"name":"Rex","categoryId":1}\n{"name":1}\n');
      await expectRefused(
        'belongs to the store',
        'export',
        `petstore.db${suffix}`,
        '--force',
        '--format',
        'ndjson',
      );
      await expectRefused(
        'belongs to the store',
        'import',
        'pets.ndjson',
        '--rejects',
        `petstore.db${suffix}`,
      );
      await expectRefused('belongs to the store', 'backup', `./petstore.db${suffix}`);
    },
  );

  it('is refused behind a link, too', async () => {
    symlinkSync('petstore.db-wal', inFolder('rejects'));
    writeFileSync(inFolder('pets.ndjson'), '{"name":1}\n');
    await expectRefused('belongs to the store', 'import', 'pets.ndjson', '--rejects', 'rejects');
    await expectRefused('belongs to the store', 'export', 'rejects', '--force');
    await expectRefused('belongs to the store', 'import', store);
  });

  it('is refused as the target of its own copy', async () => {
    symlinkSync('petstore.db', inFolder('link.db'));
    const before = hashesOf(folder.path);
    for (const to of [store, inFolder('link.db'), `sqlite:${store}`]) {
      expect(await runCli(['copy', '--from', store, '--to', to])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('name the same store'),
      });
    }
    expect(hashesOf(folder.path)).toEqual(before);
  });
});

describe('a store that another process has open', () => {
  it('is read without a change to its log', async () => {
    await using service = await startService({ databaseUrl: store });
    for (let round = 0; round < 10; round++) {
      await service.call('/v1/pets', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"name":"Rex","categoryId":1}',
      });
      expect(idsOf((await run('export')).stdout)).toHaveLength(round + 1);
    }
    using database = new Database(store, { readonly: true });
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });
});
