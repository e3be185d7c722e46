import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutants } from '../packages/testkit/src/mutants/index.ts';
import { outputOf, project } from './command.ts';
import { writeDocument } from './score/document.ts';
import { openMutableSandbox } from './score/mutable-sandbox.ts';
import { scoreRow, writeScore, type Score } from './score/scores.ts';
import type { OpenedTester, Tester } from './score/tester.ts';
import { testers } from './score/testers.ts';

/**
 * Scores other testers with the mutants: how many does each find? `bun scripts/score-testers.ts` needs Node, Java for
 * Specmatic, and npm's registry. It installs exact versions into a temporary folder, sends requests to this machine alone,
 * and writes packages/testkit/results/testers.json. `--only prism` scores one tester and keeps the other scores.
 */

/** Values that testers make up differ from run to run, so one run does not show all that they say without a mistake. */
const cleanRunCount = 3;
const timeoutMs = 300_000;

const { only = Object.keys(testers) } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
}).values;
for (const name of only) {
  const tester = testers[name];
  if (!tester) throw new Error(`There is no tester ${name}. Choose from ${Object.keys(testers).join(', ')}.`);
  const score = await scoreOf(tester);
  await writeScore(score);
  console.log(scoreRow(score));
}
// They fail until docs/testers.md shows the new scores.
const checks = Bun.spawnSync([process.execPath, 'test', './scripts/score/checks.ts'], {
  cwd: project,
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exitCode = checks.exitCode;

async function scoreOf(tester: Tester): Promise<Score> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'petstore-tester-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const sandbox = opened.use(await openMutableSandbox());
  await install(tester, folder);
  const documentFile = await writeDocument(folder, sandbox.url);
  const running = opened.use(await tester.open({ folder, documentFile, sandbox }));

  console.error(`Running ${tester.name} against ${mutants.length} mutants …`);
  const known = new Set<string>();
  let requests = 0;
  for (let run = 0; run < cleanRunCount; run++) {
    sandbox.use(undefined);
    for (const complaint of await complaintsOf(running)) known.add(complaint);
    requests = sandbox.requestCount();
    if (requests === 0) throw new Error(`${tester.name} sent no request with the key.`);
  }
  const found: number[] = [];
  for (const mutant of mutants) {
    sandbox.use(mutant);
    // What it also says of the service without a mistake says nothing about the mutant.
    if (!(await complaintsOf(running)).isSubsetOf(known)) found.push(mutant.number);
  }
  const { name, packages, method } = tester;
  const date = new Date().toISOString().slice(0, 10);
  const commit = await testedCommit();
  const counts = { mutants: mutants.length, requests, complaints: known.size };
  return { name, packages, method, date, commit, ...counts, found };
}

async function complaintsOf(tester: OpenedTester): Promise<Set<string>> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('A run of the tester does not end.')), timeoutMs);
  try {
    return new Set(await Promise.race([tester.run(), promise]));
  } finally {
    clearTimeout(timer);
  }
}

/** Without the scripts of packages: some report the installation to their makers. */
async function install({ packages }: Tester, folder: string): Promise<void> {
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await outputOf(['npm', 'install', ...options, ...names]);
}

async function testedCommit(): Promise<string> {
  const tested = ['src', 'packages/testkit/src', 'openapi.yaml', 'petstore.arazzo.yaml'];
  return (await outputOf(['git', 'log', '-1', '--format=%h', '--', ...tested])).trim();
}
