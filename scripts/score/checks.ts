import { expect, it } from 'bun:test';
import { mutants } from '../../packages/testkit/src/mutants/index.ts';
import { readResults, scoreRow } from './scores.ts';
import type { Tester } from './tester.ts';
import { testers } from './testers.ts';
import { unscored } from './unscored.ts';

/** `scripts/score-testers.ts` ends with these: bun test ./scripts/score/checks.ts */

const results = await readResults();
const page = await Bun.file(new URL('../../docs/testers.md', import.meta.url)).text();
const words = page.replaceAll(/\s+/g, ' ');

it('scores every tester as the script runs it, with all mutants', () => {
  const setUp = ({ name, packages, method }: Omit<Tester, 'open'>) => [name, { packages, method }] as const;
  expect(new Map(results.scored.map(setUp))).toEqual(new Map(Object.values(testers).map(setUp)));
  expect(results.unscored).toEqual(unscored);
  for (const score of results.scored) expect(score.mutants).toBe(mutants.length);
});

it('shows the scores in docs/testers.md and no others, and why some have none', () => {
  const rows = page.split('\n').filter((line) => /^\| .* of \d+ \|/.test(line));
  expect(rows.slice(1)).toEqual(results.scored.map(scoreRow));
  for (const { name, method } of results.scored) expect(words).toContain(`**${name}** ${method}`);
  for (const { names, reason } of unscored) expect(words).toContain(`${names.join(', ')}: ${reason}`);
});
