import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { mutants } from '../../src/mutants/index.ts';
import { describeMutant } from '../../src/mutants/mutant.ts';
import { isRunning } from '../../../../test/support/process/process-tree.ts';
import { makeFolder, runKit, type Folder } from '../../../../test/support/process/process.ts';

let folder: Folder;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** The command of a program that exits with what its function returns. */
async function commandOf(test: string): Promise<string> {
  const file = join(folder.path, 'test.mjs');
  const program = `
    const headers = { Authorization: 'Bearer ' + process.env.PETSTORE_API_KEY, 'Content-Type': 'application/json' };
    const put = (name) => fetch(process.argv[2] + '/v1/categories/99', { method: 'PUT', headers, body: JSON.stringify({ name }) });
    process.exit(await (${test})());`;
  await Bun.write(file, program);
  return `'${process.execPath}' ${file} {url}`;
}
const score = (command: string, ...args: string[]) =>
  runKit('mutants', ['--command', command, ...args], { cwd: folder.path });

const ofPut = mutants.filter(({ operation }) => operation === 'putCategory');

describe('petstore-mutants', () => {
  it('tells which mutants of an operation a command finds, and what they were about', async () => {
    const command = await commandOf(`async () => ((await put('Fish')).status === 201 ? 0 : 1)`);
    const { status, stdout, stderr } = await score(command, '--operation', 'putCategory');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toContain('found   217  category-first-name-200: PUT of a first name is 200.\n');
    expect(stdout).toMatch(/\nmissed  219  category-same-name-event: /);
    expect(stdout).toContain('BREAKS  SECTION     FOUND\nstrict  Categories  1 of 3\n');
    expect(stdout).toEndWith('\n1 mutant found, 2 missed.\n');
  });

  it('exits with 0 if every mutant is found, and prints JSON', async () => {
    // The right service has this file to itself: a mutant comes second.
    const marker = join(folder.path, 'marker');
    const command = `test -n {url} && test ! -e ${marker} && touch ${marker}`;
    const { status, stdout } = await score(command, '--operation', 'putCategory', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      ofPut.map((mutant) => Object.assign(describeMutant(mutant), { outcome: 'found' })),
    );
  });

  it('counts a command that does not end as found, says so, and ends it with all that it started', async () => {
    const pids = join(folder.path, 'pids');
    const command = await commandOf(`async () => {
      if ((await put('Fish')).status === 201) return 0;
      const child = (await import('node:child_process')).spawn('sleep', ['1000']);
      (await import('node:fs')).writeFileSync('${pids}', child.pid + ' ' + process.pid);
      await new Promise(() => setInterval(() => {}, 1000));
    }`);
    const args = ['--operation', 'putCategory', '--time-limit', '5', '--jobs', '1'];
    const { stdout } = await score(command, ...args);
    expect(stdout).toContain(
      'found   217  category-first-name-200: PUT of a first name is 200. The command did not end within 5 s.\n',
    );
    for (const pid of (await Bun.file(pids).text()).split(' ')) {
      while (isRunning(Number(pid))) await Bun.sleep(20);
    }
  });

  it('does not score a command that fails against the right service', async () => {
    const { status, stdout, stderr } = await score('echo {url} is wrong; exit 3');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^http:\S+ is wrong\npetstore-mutants: The command fails with 3 against the right service, so nothing is scored\.\n$/,
    );
  });

  it.each([
    [['--command', 'npm test'], 'It must contain {url}.'],
    [['--command', '{url}', '--operation', 'fly'], 'Allowed choices are listPets'],
    [[], "Required option '--command <command>' not specified."],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stderr } = await runKit('mutants', args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
