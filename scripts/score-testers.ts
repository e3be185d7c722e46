import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutants } from '../packages/testkit/src/mutants/index.ts';
import { openMutableSandbox } from './score/mutable-sandbox.ts';
import { openPortman } from './score/portman.ts';
import { openPrism } from './score/prism.ts';
import { scoreRow, writeScores, type Score } from './score/scores.ts';
import type { OpenTester } from './score/tester.ts';

/**
 * Scores two well-known testers with the mutants: how many does each find? `bun scripts/score-testers.ts` needs Node and
 * npm's registry, installs exact versions into a temporary folder, and sends requests to this machine alone. It writes
 * packages/testkit/results/testers.json. Name a tester, `prism` or `portman`, to run only that one.
 */

const versions = { '@stoplight/prism-cli': '5.16.0', '@apideck/portman': '1.33.0', newman: '6.2.2' };
const testers: Record<string, OpenTester> = { prism: openPrism, portman: openPortman };
const wanted = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), 'petstore-testers-'));
const sandbox = await openMutableSandbox();
try {
  await install(folder);
  const scores: Score[] = [];
  for (const [name, openTester] of Object.entries(testers)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await using tester = await openTester({ folder, versions, sandbox });
    console.error(`Running ${tester.name} against ${mutants.length} mutants …`);
    sandbox.use(undefined);
    const known = await tester.run();
    const score: Score = { tester: tester.name, complaints: known.size, found: [] };
    for (const mutant of mutants) {
      sandbox.use(mutant);
      const complaints = await tester.run();
      // What it also says of the service without a mistake says nothing about the mutant.
      if (!complaints.isSubsetOf(known)) score.found.push(mutant.number);
    }
    scores.push(score);
  }
  await writeScores(scores);
  console.log(scores.map(scoreRow).join('\n'));
} finally {
  await sandbox.stop();
  await rm(folder, { recursive: true });
}

/** Without the scripts of packages: one of them reports the installation to its makers. */
async function install(into: string): Promise<void> {
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  console.error(`Installing ${packages.join(', ')} …`);
  const options = ['--prefix', into, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exited } = Bun.spawn(['npm', 'install', ...options, ...packages], {
    stdout: 'ignore',
    stderr: 'inherit',
  });
  if ((await exited) !== 0) throw new Error('npm could not install the testers.');
}
