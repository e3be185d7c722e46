import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { familyOf } from '../support/process/process-figures.ts';
import { cellOf } from '../../bench/statistics.ts';
import { continueUnfinished, isMeasured, removeUnfinished, saveUnfinished } from '../../bench/unfinished.ts';
import { resultsOf, sample } from '../support/bench-results.ts';

describe.if(process.platform === 'linux')('a run that is cut off', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-bench-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('goes on with a run that was cut off, unless that was another one', async () => {
    const results = resultsOf([sample('petstore', 1, 90)]);
    const { method, machine } = results;
    const longer = { ...resultsOf([]), method: { ...method, otherSizes: [1000] } };
    const newer = { ...resultsOf([]), machine: { ...machine, versions: { petstore: '1.0.0 (newer)' } } };
    await saveUnfinished(results, folder);
    await saveUnfinished(longer, folder);
    const { samples, remarks } = await continueUnfinished(resultsOf([]), folder);
    const known = cellOf(results, 'list', 'petstore');
    expect([1, 2].map((number) => isMeasured(samples, known, number))).toEqual([true, false]);
    expect(remarks).toHaveLength(1);
    expect((await continueUnfinished(longer, folder)).samples).toEqual([]);
    const refusal = await continueUnfinished(newer, folder).catch((error: Error) => error.message);
    expect(refusal).toContain('There is no run of these options and versions');
    await removeUnfinished(longer, folder);
    expect(await continueUnfinished(results, folder)).toMatchObject({ samples });
  });

  it('leaves no process behind when it is cut off', async () => {
    const run = `
      import { started } from './bench/children.ts';
      import { cleanUpWhenCutOff } from './bench/cut-off.ts';
      cleanUpWhenCutOff();
      const shell = started(Bun.spawn(['sh', '-c', 'sleep 300 & wait'], { stdio: ['ignore', 'ignore', 'ignore'] }));
      console.log(shell.pid);`;
    await using child = Bun.spawn([process.execPath, '-e', run], {
      cwd: join(import.meta.dir, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 60_000,
    });
    let said = '';
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (said.endsWith('\n')) break;
    }
    const family = familyOf(Number(said));
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
    // Whoever was killed is there until it is waited for.
    const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/exe`);
    while (family.some(isRunning)) await Bun.sleep(10);
  });

  it('leaves no folder behind when it is cut off', async () => {
    const run = `
      import { makeTemporaryFolder, removeTemporaryFolders } from './bench/temporary.ts';
      console.log(makeTemporaryFolder('one').path);
      removeTemporaryFolders();
      using other = makeTemporaryFolder('other');
      console.log(other.path);`;
    const { stdout } = Bun.spawnSync([process.execPath, '-e', run], { cwd: join(import.meta.dir, '../..') });
    const paths = stdout.toString().trim().split('\n');
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(existsSync(path)).toBe(false);
  });
});
