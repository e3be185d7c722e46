import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { readResults, shorten, writeResults } from '../../torture/results.ts';
import { makeFolder } from '../support/process/process.ts';

const folder = join(import.meta.dir, '../../torture');

describe('the results of torture', () => {
  /** `bun torture/results.ts` writes both anew. */
  it('are of tests that exist, and their page is made from them', async () => {
    using made = makeFolder();
    await writeResults(readResults(), made.path);
    for (const name of ['results.json', 'RESULTS.md'])
      expect(await Bun.file(join(made.path, name)).text()).toBe(await Bun.file(join(folder, name)).text());
  });

  it('show that every test that passed saw its control fail', () => {
    const passed = Object.entries(readResults()).filter(([, { verdict }]) => verdict === 'passed');
    const unproven = passed.filter(([, { control }]) => (control?.faults ?? []).length === 0);
    expect(unproven.map(([name]) => name)).toEqual([]);
  });

  it('keep a few lines of a control that fails thousands of times', () => {
    const faults = Array.from({ length: 2000 }, (_, index) => `pet ${index}\nlost`);
    expect(shorten(faults)).toEqual([
      ...['pet 0 lost', 'pet 1 lost', 'pet 2 lost', 'pet 3 lost', 'pet 4 lost'],
      'and 1995 more',
    ]);
  });
});
