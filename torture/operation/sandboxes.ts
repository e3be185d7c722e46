import { join } from 'node:path';
import { isRunning } from '../../test/support/process/process-tree.ts';
import { randomFrom } from '../../test/support/random.ts';
import { makeTemporaryPlace, startSandboxProcess, statusOf } from '../../test/support/sandbox/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** More would need more memory than a small machine has. */
const atOnce = 25;

/** A round is a sandbox. As many as fit start, serve and stop together, each by one of two signals. */
const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const faults: string[] = [];
  const sandboxProgram = program && join(program, '../../../packages/testkit/src/cli/petstore-sandbox.ts');
  using place = makeTemporaryPlace();
  for (let done = 0; done < rounds; done += atOnce) {
    const count = Math.min(atOnce, rounds - done);
    const sandboxes = await Promise.all(
      Array.from({ length: count }, () => startSandboxProcess(place, [], sandboxProgram)),
    );
    const before = await Promise.all(sandboxes.map(statusOf));
    faults.push(...before.filter((status) => status !== 200).map((status) => `a sandbox gave ${status}`));
    const ends = await Promise.all(sandboxes.map((each) => each.end(random.pick(['SIGTERM', 'SIGINT']))));
    faults.push(...ends.filter((status) => status !== 0).map((status) => `a sandbox ended with ${status}`));
    const after = await Promise.all(sandboxes.map(statusOf));
    faults.push(...after.filter((status) => status !== 'refused').map(() => 'a port is open'));
    faults.push(...sandboxes.filter(({ pid }) => isRunning(pid)).map(({ pid }) => `process ${pid} runs`));
    report(`${done + count} sandboxes, ${faults.length} faults`);
  }
  const files = place.files();
  faults.push(...files.map((name) => `${name} was left behind`));
  return {
    figures: { sandboxes: rounds, 'at once': atOnce, 'files left': files.length, faults: faults.length },
    faults,
  };
};

export const sandboxes: TortureTest = {
  name: 'sandboxes',
  description: `sandboxes started and stopped, ${atOnce} at once`,
  passesWhen: 'each serves its pets; no process, file or port is left',
  rounds: 200,
  unit: 'sandboxes',
  run,
  control: {
    description: 'the store is not removed',
    rounds: 2,
    run: againstBroken(run, [
      {
        file: 'packages/testkit/src/sandbox/store.ts',
        find: '        await store.close();\n        removeFolder(folder);',
        replace: '        await store.close();',
      },
    ]),
  },
};
