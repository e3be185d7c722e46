import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { importText, runAt } from '../support/process/files.ts';
import { cleanEnvironment, makeFolder, petstoreCommand, type Folder } from '../support/process/process.ts';

/** What is hard to write to a file: the edges of int64, and names that look like syntax. */
const oddNames = [
  ...[
    '',
    ' ',
    '"',
    '""',
    ',',
    ';',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\\',
    '\\u0041',
    "'",
    '{"name":"A"}',
    '],[',
    'null',
  ],
  ...[
    '=1+1',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
    'é',
    'e\u0301',
    '猫',
    '🐾',
  ],
  ...['\u{10ffff}', '\u202etxt', 'id,name,categoryId,status', 'x'.repeat(255)],
];
const edges = [-(2n ** 63n), -(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const statuses = ['available', 'pending', 'sold', undefined] as const;

let folder: Folder;
let service: ListeningService;
beforeAll(async () => {
  folder = makeFolder();
  service = await openListeningService();
  await service.client.putCategory(0n, 'Zoë; "2nd"');
  for (const [index, name] of oddNames.entries()) {
    const status = statuses[index % statuses.length];
    await service.client.createPet({ name, categoryId: edges[index % edges.length]!, status });
  }
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const inFolder = (name: string) => join(folder.path, name);
const run = (...args: string[]) => runAt(service, ['export', ...args], { cwd: folder.path });
const partials = () => readdirSync(folder.path).filter((name) => name.endsWith('.partial'));

describe('petstore export', () => {
  it.each(['ndjson', 'csv'])('writes every pet byte for byte, which import reads: %s', async (format) => {
    const path = inFolder(`all.${format}`);
    expect(await run(path)).toEqual({
      status: 0,
      stdout: `Exported ${oddNames.length} pets of ${service.url} to ${path}.\n`,
      stderr: '',
    });
    await using other = await openListeningService();
    expect(await runAt(other, ['import', path])).toMatchObject({ status: 0 });
    const petsOf = async ({ client }: ListeningService) =>
      (await Array.fromAsync(client.pets()))
        .map(({ name, categoryId, status }) => JSON.stringify([name, String(categoryId), status]))
        .toSorted();
    expect(await petsOf(other)).toEqual(await petsOf(service));
    if (format === 'ndjson') expect(readFileSync(path, 'utf8')).toBe((await run()).stdout);
  });

  it('has the names of categories, and for Excel a byte order mark and the separator of the locale', async () => {
    await using shop = await openListeningService();
    await shop.client.putCategory(1n, 'Dogs; small');
    await importText('{"name":"Rex, Jr.","categoryId":1,"status":"sold"}\n', shop);
    const path = inFolder('pets.csv');
    await runAt(shop, ['export', path]);
    expect(readFileSync(path, 'utf8')).toBe(
      'id,name,categoryId,status,category\r\n1,"Rex, Jr.",1,sold,"Dogs; small"\r\n',
    );
    const env = { LC_ALL: 'de_DE.UTF-8' };
    await runAt(shop, ['export', path, '--excel', '--force'], { env });
    expect(readFileSync(path, 'utf8')).toBe(
      '\ufeffid;name;categoryId;status;category\r\n1;"Rex, Jr.";1;sold;"Dogs; small"\r\n',
    );
    expect(await runAt(shop, ['export', 'pets.ndjson', '--excel'])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'petstore: --excel writes CSV. Name a file that ends in .csv.\n',
    });
  });

  it('works with --stable-only and a read-only key, and refuses an unknown one', async () => {
    await using stable = await openListeningService({ stableOnly: true });
    await stable.client.createPet({ name: 'Rex', categoryId: 1n });
    expect((await runAt(stable, ['export', '--format', 'csv'])).stdout).toEndWith('\r\n1,Rex,1,,\r\n');
    expect(await runAt({ url: service.url, apiKey: 'unknown' }, ['export'])).toMatchObject({
      status: 1,
      stdout: '',
    });
  });

  it('replaces a file only if forced, and leaves no part of one', async () => {
    await run('twice.csv');
    expect(await run('twice.csv')).toMatchObject({
      status: 1,
      stderr: 'petstore: twice.csv exists. Choose another file, or replace it with --force.\n',
    });
    expect(await run('twice.csv', '--force', '--format', 'ndjson')).toMatchObject({ status: 0 });
    expect(readFileSync(inFolder('twice.csv'), 'utf8')).toStartWith('{"id":1,');
    expect(partials()).toEqual([]);
  });

  it('is not held up by what a killed export with the same process id left behind', async () => {
    const path = inFolder('left.ndjson');
    const wrap = (command: string[]) => ['sh', '-c', 'touch "$0.$$.partial" && exec "$@"', path, ...command];
    expect((await runAt(service, ['export', path], { wrap })).status).toBe(0);
    const [leftover = ''] = partials();
    utimesSync(inFolder(leftover), new Date(0), new Date(0));
    await run(path, '--force');
    expect(partials()).toEqual([]);
  });

  it('refuses a file whose extension names no format, and writes NDJSON to one without an extension', async () => {
    for (const [name, ending] of [
      ['pets.json.gz', '.gz'],
      ['PETS.TXT', '.txt'],
    ] as const) {
      expect(await run(name)).toEqual({
        status: 2,
        stdout: '',
        stderr:
          `petstore: No format has the ending ${ending}. ` +
          'Name a file that ends in .ndjson or .csv, or choose one of these formats with --format.\n',
      });
      expect(existsSync(inFolder(name))).toBe(false);
    }
    expect(await run('PETS.TXT', '--format', 'csv')).toMatchObject({ status: 0 });
    expect(await run('pets')).toMatchObject({ status: 0 });
    expect(readFileSync(inFolder('pets'), 'utf8')).toStartWith('{"id":1,');
  });

  it('ends with one line when standard output is on a full disk', async () => {
    const { status, stderr } = await inShell('"$@" >/dev/full', 'sh');
    expect(status).toBe(1);
    expect(stderr).toEndWith(
      'petstore: Standard output cannot be written: no space left on device. Check where it is redirected to.\n',
    );
  });

  it('ends quietly when its reader is gone', async () => {
    // More than a pipe holds.
    const pet = { name: 'x'.repeat(255), categoryId: 1n };
    await Promise.all(Array.from({ length: 1000 }, () => service.client.createPet(pet)));
    const { status, stdout, stderr } = await inShell('set -o pipefail; "$@" | head -n 1', 'bash');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toStartWith('{"id":1,');
  });
});

async function inShell(script: string, shell: string) {
  const command = petstoreCommand(['export', '--url', service.url]);
  const child = Bun.spawn([shell, '-c', script, shell, ...command], {
    env: cleanEnvironment({ API_KEY: service.apiKey }),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, status] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { stdout, stderr, status };
}
