import { describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, isRunning } from '../support/process/process-tree.ts';
import { endProcess, makeFolder } from '../support/process/process.ts';

const project = join(import.meta.dir, '../..');
const program = join(project, 'torture/run.ts');

describe('npm run torture', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves no process and no file behind when ${signal} ends it in the middle`, async () => {
      using place = makeFolder();
      const run = Bun.spawn(
        [process.execPath, program, '--only', 'rolling-restart', '--rounds', '1000', '--no-controls'],
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
