import { join } from 'node:path';
import { mutants, type Mutant } from '../../packages/testkit/src/mutants/index.ts';

/** What a tester finds. */
export interface Score {
  /** With its version. */
  tester: string;
  /** How many complaints it has about the service without a mistake. */
  complaints: number;
  /** The numbers of the mutants. */
  found: number[];
}

/** `docs/conformance.md` shows them. */
const file = join(import.meta.dir, '../../packages/testkit/results/testers.json');

export async function readScores(): Promise<Score[]> {
  return (await Bun.file(file).json()) as Score[];
}

/** Puts new scores in the place of those of the same testers. */
export async function writeScores(scores: readonly Score[]): Promise<void> {
  const all = new Map([...(await readScores()), ...scores].map((score) => [score.tester, score]));
  const lines = [...all.values()].map((score) => JSON.stringify(score));
  await Bun.write(file, `[\n${lines.join(',\n')}\n]\n`);
}

/** A row of the table of testers, in Markdown. */
export function scoreRow({ tester, complaints, found }: Score): string {
  return `| ${[tester, share(found, 'contract'), share(found, 'strict'), complaints].join(' | ')} |`;
}

function share(found: readonly number[], breaks: Mutant['breaks']): string {
  const breaking = mutants.filter((mutant) => mutant.breaks === breaks);
  return `${breaking.filter(({ number }) => found.includes(number)).length} of ${breaking.length}`;
}
