import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { makeSampleStore } from '../../src/stores/sqlite/maintenance/sample-store.ts';
import { cleanEnvironment, petstoreCommand, runCli } from '../support/process/process.ts';
import { importText } from '../support/process/files.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder, run } = at;

describe('petstore export', () => {
  it('writes a complete file in the format of its extension, and replaces none unless forced', async () => {
    await importText('{"name":"Rex, Jr.","categoryId":1,"status":"sold"}\n', at.store);
    const path = inFolder('pets.csv');
    const exportAs = (...args: string[]) => run('export', path, ...args);
    expect(await exportAs()).toMatchObject({
      status: 0,
      stdout: `Exported 1 pet of ${at.store} to ${path}.\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe('id,name,categoryId,status\r\n1,"Rex, Jr.",1,sold\r\n');
    expect(await exportAs()).toMatchObject({ status: 1, stderr: expect.stringContaining('exists') });
    expect(await exportAs('--force', '--format', 'ndjson')).toMatchObject({ status: 0 });
    expect(readFileSync(path, 'utf8')).toStartWith('{"id":1,');
    expect(readdirSync(at.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('is not held up by what a killed export with the same process id left behind', async () => {
    await importText('{"name":"Rex","categoryId":1}\n', at.store);
    const path = inFolder('pets.ndjson');
    const wrap = (command: string[]) => ['sh', '-c', 'touch "$0.$$.partial" && exec "$@"', path, ...command];
    const result = await runCli(['export', path, '--database-url', at.store], { wrap });
    expect(result.status).toBe(0);
    const names = () => readdirSync(at.path).filter((name) => name.endsWith('.partial'));
    const [leftover = ''] = names();
    utimesSync(inFolder(leftover), new Date(0), new Date(0));
    await run('export', path, '--force');
    expect(names()).toEqual([]);
  });

  it('refuses a file whose extension names no format, and writes NDJSON to one without an extension', async () => {
    await importText('{"name":"Rex","categoryId":1}\n', at.store);
    for (const [name, ending] of [
      ['pets.json.gz', '.gz'],
      ['pets.json', '.json'],
      ['PETS.TXT', '.txt'],
    ] as const) {
      expect(await run('export', name)).toEqual({
        status: 2,
        stdout: '',
        stderr:
          `petstore: No format has the ending ${ending}. ` +
          'Name a file that ends in .ndjson or .csv, or choose one of these formats with --format.\n',
      });
      expect(existsSync(inFolder(name))).toBe(false);
    }
    expect(await run('export', 'PETS.TXT', '--format', 'csv')).toMatchObject({ status: 0 });
    expect(readFileSync(inFolder('PETS.TXT'), 'utf8')).toStartWith('id,name,categoryId,status\r\n');
    expect(await run('export', 'pets')).toMatchObject({ status: 0 });
    expect(readFileSync(inFolder('pets'), 'utf8')).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
  });

  it('ends with one line when standard output is on a full disk', async () => {
    makeSampleStore(at.store, { seed: 1, count: 6000 });
    const command = petstoreCommand(['export', '--database-url', at.store]);
    const shell = Bun.spawn(['sh', '-c', '"$@" >/dev/full', 'sh', ...command], {
      env: cleanEnvironment(),
      stderr: 'pipe',
      timeout: 300_000,
      killSignal: 'SIGKILL',
    });
    const [text, status] = await Promise.all([shell.stderr.text(), shell.exited]);
    expect(status).toBe(1);
    expect(text).toEndWith(
      'petstore: Standard output cannot be written: no space left on device. Check where it is redirected to.\n',
    );
  });

  it('ends quietly when its reader is gone', async () => {
    makeSampleStore(at.store, { seed: 1, count: 20_000 });
    const command = petstoreCommand(['export', '--database-url', at.store]);
    const shell = Bun.spawn(
      ['bash', '-c', 'set -o pipefail; "$@" 2>errors | head -n 1', 'bash', ...command],
      {
        cwd: at.path,
        env: cleanEnvironment(),
        stdout: 'pipe',
        timeout: 300_000,
      },
    );
    const [text, status] = await Promise.all([shell.stdout.text(), shell.exited]);
    expect(text).toStartWith('{"id":1,');
    expect(status).toBe(0);
    expect(readFileSync(inFolder('errors'), 'utf8')).not.toContain('petstore:');
  });
});
