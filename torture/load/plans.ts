import { project } from '../../test/support/process/package.ts';
import { againstBroken } from '../support/against-broken.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const engines = ['SQLite', 'PostgreSQL'];

/** The test of the plans, with so many rows in every table. */
const run: Run = async ({ rounds: rows, report, broken }) => {
  const child = Bun.spawn([process.execPath, 'test', './test/stores/plans.test.ts'], {
    cwd: project,
    env: {
      ...process.env,
      PLAN_ROWS: String(rows),
      ...(broken !== undefined && { BUN_OPTIONS: `--preload=${broken}` }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output = await child.stderr.text();
  const failed = engines.filter((engine) => !output.includes(`(pass) on ${engine}, every statement`));
  if (failed.length > 0 && broken === undefined) report(output);
  return {
    figures: { 'rows in every table': rows },
    faults: failed.map((engine) => `the test of the plans on ${engine} failed`),
  };
};

/** Found on both. */
const control: Run = async (options) => {
  const { figures, faults } = await run(options);
  return { figures, faults: faults.length === engines.length ? faults : [] };
};

export const plans: TortureTest = {
  name: 'plans',
  description: 'the plans of every statement on both engines, with a million rows in every table',
  passesWhen: 'no statement reads or sorts all rows, and pages begin in an index',
  rounds: 1_000_000,
  unit: 'rows',
  run,
  control: {
    description: 'the index of pets by status is missing',
    rounds: 10_000,
    run: againstBroken(control, 'lost-index'),
  },
};
