import { describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, makeFolder } from '../test/support/process/process.ts';
import { childrenOf, isRunning } from '../test/support/process/process-tree.ts';
import { readResults, writeResults } from './results.ts';

/** `npm run torture` begins with these: bun test ./torture/checks.ts ./torture/histories/checks.ts */

describe('npm run torture', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves no process and no file behind when ${signal} ends it in the middle`, async () => {
      using place = makeFolder();
      const run = Bun.spawn(
        [process.execPath, join(import.meta.dir, 'run.ts'), 'overload', '--rounds', '1000', '--no-controls'],
        {
          env: { ...process.env, TMPDIR: place.path },
          stdio: ['ignore', 'ignore', 'ignore'],
          timeout: 100_000,
          killSignal: 'SIGKILL',
        },
      );
      let services: number[] = [];
      try {
        while (childrenOf(run.pid).length < 2 && run.exitCode === null) await Bun.sleep(20);
        services = childrenOf(run.pid);
        expect(services).not.toEqual([]);
        expect(readdirSync(place.path)).not.toEqual([]);

        run.kill(signal);
        expect(await run.exited).toBe(1);
        expect(services.filter(isRunning)).toEqual([]);
        expect(readdirSync(place.path)).toEqual([]);
      } finally {
        run.kill('SIGKILL');
        [...services, ...childrenOf(run.pid)].forEach(endProcess);
      }
    });
  }
});

describe('the results of torture', () => {
  /** `bun torture/results.ts` writes both anew. */
  it('belong to tests that exist, and RESULTS.md is made from them', async () => {
    using made = makeFolder();
    await writeResults(readResults(), made.path);
    for (const name of ['results.json', 'RESULTS.md'])
      expect(await Bun.file(join(made.path, name)).text()).toBe(
        await Bun.file(join(import.meta.dir, name)).text(),
      );
  });

  it('show that the control of every passed test failed', () => {
    const passed = Object.entries(readResults()).filter(([, { verdict }]) => verdict === 'passed');
    const unproven = passed.filter(([, { control }]) => (control?.faults ?? []).length === 0);
    expect(unproven.map(([name]) => name)).toEqual([]);
  });
});
