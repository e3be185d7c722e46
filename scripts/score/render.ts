import { mutants, type Mutant } from '../../packages/testkit/src/mutants/index.ts';

export interface Score {
  tester: string;
  /** How many complaints it has about the service without a mistake. */
  knownComplaints: number;
  found: Mutant[];
}

/** A table of all testers, and what each of them finds, as Markdown. */
export function renderScores(scores: readonly Score[]): string {
  const rows = scores.map(({ tester, knownComplaints, found }) => {
    const cells = [tester, share(found, 'contract'), share(found, 'strict'), `${knownComplaints}`];
    return `| ${cells.join(' | ')} |`;
  });
  const found = scores.map((score) => `${score.tester} finds ${numbersOf(score.found)}.`);
  return [
    '| Tester | Mutants that break the contract | Other mutants | Complaints without a mutant |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    ...found,
  ].join('\n');
}

function share(found: readonly Mutant[], breaks: Mutant['breaks']): string {
  const countOf = (all: readonly Mutant[]) => all.filter((mutant) => mutant.breaks === breaks).length;
  return `${countOf(found)} of ${countOf(mutants)}`;
}

function numbersOf(found: readonly Mutant[]): string {
  return found.length === 0 ? 'none' : found.map(({ number }) => number).join(', ');
}
