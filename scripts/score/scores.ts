import { join } from 'node:path';
import { mutants, type Mutant } from '../../packages/testkit/src/mutants/index.ts';
import type { Tester } from './tester.ts';
import { unscored, type Unscored } from './unscored.ts';

/** What a tester finds. */
export interface Score extends Pick<Tester, 'name' | 'packages' | 'method'> {
  /** The day of the run. */
  date: string;
  /** The last commit that changed what was tested: the service, the mutants or the documents. */
  commit: string;
  /** How many there were. */
  mutants: number;
  /** How many requests with the key it sends in a run. */
  requests: number;
  /** How many complaints it has about the service without a mistake. */
  complaints: number;
  /** The numbers of the mutants that it finds. */
  found: number[];
}

interface Results {
  scored: Score[];
  unscored: readonly Unscored[];
}

/** `docs/testers.md` shows them. */
const file = join(import.meta.dir, '../../packages/testkit/results/testers.json');

export async function readResults(): Promise<Results> {
  return (await Bun.file(file).json()) as Results;
}

/** Puts a new score in the place of that of the same tester; the best comes first. */
export async function writeScore(score: Score): Promise<void> {
  const { scored } = await readResults();
  const all = [...scored.filter(({ name }) => name !== score.name), score].toSorted(
    (one, other) => other.found.length - one.found.length,
  );
  const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join(',\n');
  await Bun.write(file, `{"scored":[\n${lines(all)}\n],\n"unscored":[\n${lines(unscored)}\n]}\n`);
}

/** A row of the table of testers, in Markdown. */
export function scoreRow({ name, packages, requests, complaints, found }: Score): string {
  const [version = ''] = Object.values(packages);
  const shares = [share(found, 'contract'), share(found, 'strict')];
  return `| ${[`${name} ${version}`, ...shares, requests, complaints].join(' | ')} |`;
}

function share(found: readonly number[], breaks: Mutant['breaks']): string {
  const breaking = mutants.filter((mutant) => mutant.breaks === breaks);
  return `${breaking.filter(({ number }) => found.includes(number)).length} of ${breaking.length}`;
}
