import { describe, expect, it } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../../../scripts/command.ts';
import { testedDocument, writeDocument } from '../../../../scripts/score/document.ts';
import { openMutableSandbox } from '../../../../scripts/score/mutable-sandbox.ts';
import { respect } from '../../../../scripts/score/respect.ts';
import { readResults, scoreRow } from '../../../../scripts/score/scores.ts';
import type { Tester } from '../../../../scripts/score/tester.ts';
import { testers } from '../../../../scripts/score/testers.ts';
import { unscored } from '../../../../scripts/score/unscored.ts';
import { makeFolder } from '../../../../test/support/process/process.ts';
import { mutants } from '../../src/mutants/index.ts';

const results = await readResults();
const page = await Bun.file(new URL('../../../../docs/testers.md', import.meta.url)).text();
const words = page.replaceAll(/\s+/g, ' ');

describe('a tester', () => {
  it('reads the stable operations, without what only an earlier response can tell', () => {
    const { paths } = testedDocument('http://127.0.0.1:8080');
    const parameters = Object.values(paths).flatMap(({ get, post }) =>
      [get, post].map((operation) => operation?.parameters?.map(({ name }) => name)),
    );
    expect(parameters).toEqual([['limit', 'status'], [], ['petId'], undefined]);
  });

  // The one tester that a checkout has anyway.
  it('complains about a mutant and not about the service', async () => {
    await using sandbox = await openMutableSandbox();
    using folder = makeFolder();
    symlinkSync(join(project, 'node_modules'), join(folder.path, 'node_modules'));
    const documentFile = await writeDocument(folder.path, sandbox.url);
    await using tester = await respect.open({ folder: folder.path, documentFile, sandbox });
    expect(Array.from(await tester.run())).toEqual([]);
    expect(sandbox.requestCount()).toBe(3);
    sandbox.use(mutants.find(({ number }) => number === 23));
    expect(Array.from(await tester.run())).toEqual(['get-pets-workflow/get-pets-step: schema check ']);
  });
});

describe('packages/testkit/results/testers.json', () => {
  it('scores every tester as the script runs it', () => {
    const setUp = ({ name, packages, method }: Omit<Tester, 'open'>) => [name, { packages, method }] as const;
    expect(new Map(results.scored.map(setUp))).toEqual(new Map(Object.values(testers).map(setUp)));
    expect(results.unscored).toEqual(unscored);
  });

  it.each(results.scored)('has a whole run of $name', (score) => {
    expect(score.mutants).toBe(mutants.length);
    const numbers = mutants.map(({ number }) => number);
    expect(score.found).toEqual(numbers.filter((number) => score.found.includes(number)));
    expect(score.found.length).toBeGreaterThan(0);
    expect(score.requests).toBeGreaterThan(0);
    expect(score.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(score.commit).toMatch(/^[0-9a-f]{7,}$/);
    for (const version of Object.values(score.packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('docs/testers.md', () => {
  it('shows the scores and no others', () => {
    const rows = page.split('\n').filter((line) => /^\| .* of \d+ \|/.test(line));
    const [conform = '', ...others] = rows;
    const counts = Map.groupBy(mutants, ({ breaks }) => breaks);
    const [contract, strict] = [counts.get('contract')?.length, counts.get('strict')?.length];
    expect(conform).toStartWith(
      `| \`petstore-conform\` | ${contract} of ${contract} | ${strict} of ${strict} |`,
    );
    expect(others).toEqual(results.scored.map(scoreRow));
  });

  it('says how each is used, and why others have no score', () => {
    for (const { name, method } of results.scored) expect(words).toContain(`**${name}** ${method}`);
    for (const { names, reason } of unscored) expect(words).toContain(`${names.join(', ')}: ${reason}`);
  });

  it('stays short', () => {
    expect(page.length).toBeLessThan(4096);
  });
});
