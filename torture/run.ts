import { parseArgs } from 'node:util';
import { currentCommit } from '../test/support/commit.ts';
import { firstLine } from './support/judge.ts';
import { openPlace } from './support/place.ts';
import { readResults, shorten, thisMachine, writeResults, type Result } from './results.ts';
import { tortureTests } from './tests.ts';
import type { Outcome, Run, RunOptions, TortureTest } from './support/torture-test.ts';

const help = `Break the machine on purpose and see that nothing is lost and nobody gets in. Writes torture/results.json and torture/RESULTS.md.

Usage: npm run torture -- [options] [test...]

Without the name of a test, all of them run. The results of tests that do not run stay as they were.

Options:
  --seed NUMBER   Repeat the choices of an earlier run. Without it, a new seed is chosen and shown.
  --rounds NUMBER How many rounds each test makes, instead of its own number.
  --no-controls   Leave out the runs against something broken, which must fail.

Tests:
${tortureTests.map(({ name, description, rounds, unit }) => `  ${name.padEnd(16)}${description} (${rounds} ${unit})`).join('\n')}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string' },
    'no-controls': { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help) say(help);
else {
  using place = openPlace();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      place[Symbol.dispose]();
      process.exit(1);
    });
  }
  process.exitCode = await runAll();
}
// What a failed test has left open must not keep the run from ending.
process.exit();

async function runAll(): Promise<number> {
  const unknown = positionals.find((name) => !tortureTests.some((test) => test.name === name));
  if (unknown !== undefined) {
    say(`There is no test ${unknown}.\n\n${help}`);
    return 2;
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const chosen = tortureTests.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const results = readResults();
  say(`Seed ${seed}. Repeat with: npm run torture -- --seed ${seed}\n`);
  for (const test of chosen) {
    const result = await runOne(test, seed);
    results[test.name] = result;
    await writeResults(results);
    say(`${summaryOf(result)}\n`);
  }
  const bad = chosen.filter(({ name }) =>
    ['failed', 'control passed'].includes(results[name]?.verdict ?? ''),
  );
  say(
    bad.length === 0
      ? '\nEverything held.\n'
      : `\nNot everything held: ${bad.map(({ name }) => name).join(', ')}.\n`,
  );
  return bad.length === 0 ? 0 : 1;
}

async function runOne(test: TortureTest, seed: number): Promise<Result> {
  say(`\n${test.name}: ${test.description}\n`);
  const at = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const commit = currentCommit();
  const common = { seed, at, machine: thisMachine(), ...(commit !== undefined && { commit }) };
  const missing = test.missing?.();
  if (missing !== undefined) return { ...common, verdict: 'not run', reason: missing };
  const rounds = values.rounds === undefined ? test.rounds : Number(values.rounds);
  const startedAt = performance.now();
  const outcome = await guarded(test.run, { rounds, seed, report });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const result: Result = {
    ...common,
    verdict: outcome.faults.length === 0 ? 'passed' : 'failed',
    seconds,
    ...outcome,
    faults: shorten(outcome.faults),
  };
  if (values['no-controls']) return result;
  say(`  the control: ${test.control.description}\n`);
  try {
    const control = await test.control.run({ rounds: test.control.rounds, seed, report });
    if (control.faults.length === 0) return { ...result, verdict: 'control passed' };
    return {
      ...result,
      control: { description: test.control.description, faults: shorten(control.faults) },
    };
  } catch (error) {
    // A control that could not run has shown nothing.
    return { ...result, verdict: 'control passed', reason: `The control could not run: ${firstLine(error)}` };
  }
}

/** A test that breaks off has found something, too. */
async function guarded(run: Run, options: RunOptions): Promise<Outcome> {
  try {
    return await run(options);
  } catch (error) {
    return {
      figures: {},
      faults: [`The test broke off: ${String(error).split('\n').slice(0, 4).join(' ')}`],
    };
  }
}

function summaryOf({ verdict, figures = {}, faults = [], control, reason, seconds }: Result): string {
  return [
    `  ${verdict}${reason === undefined ? '' : `, because ${reason}`}${seconds === undefined ? '' : ` after ${seconds} s`}`,
    ...Object.entries(figures).map(([name, value]) => `    ${name}: ${value}`),
    ...faults.map((fault) => `    FAULT: ${fault}`),
    ...(control?.faults ?? []).slice(0, 3).map((fault) => `    the control failed, as it must: ${fault}`),
  ].join('\n');
}

function report(progress: string): void {
  say(`    ${progress}\n`);
}

function say(text: string): void {
  process.stdout.write(text);
}
