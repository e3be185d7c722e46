import { beforeAll, describe, expect, it } from 'bun:test';
import { checksFor } from '../../src/conform/checks.ts';
import { mutants } from '../../src/mutants/index.ts';
import {
  failedNames,
  findMutants,
  openCheckedSandbox,
  readKillTable,
  renderKillTable,
  type Kill,
} from '../../../../test/support/sandbox/kill-table.ts';

const table = Bun.file(new URL('../../results/kills.json', import.meta.url));

/** Runs every check and writes the table anew. */
const isUpdate = process.env['UPDATE_KILL_TABLE'] === '1';
let kills: Kill[];

// Thousands of requests: a busy machine may take longer than for any other test.
beforeAll(async () => {
  kills = await findMutants(isUpdate ? new Map() : readKillTable(await table.text()));
}, 600_000);

describe('conform', () => {
  it.each([false, true])(
    'finds nothing wrong with a sandbox that has no mistake (stable only: %p)',
    async (stableOnly) => {
      await using sandbox = openCheckedSandbox({ stableOnly });
      expect(failedNames(await sandbox.results('strict'))).toEqual([]);
    },
  );

  it('finds every mutant that breaks the contract by the contract alone', () => {
    expect(
      namesOf(kills.filter(({ checks, mutant }) => mutant.breaks === 'contract' && checks.length === 0)),
    ).toEqual([]);
  });

  it('finds every other mutant in the strict profile', () => {
    expect(namesOf(kills.filter(({ checks }) => checks.length === 0))).toEqual([]);
  });

  it('reports few findings for one mistake, however many checks fail', () => {
    const contract = kills.filter(({ mutant }) => mutant.breaks === 'contract');
    expect(namesOf(contract.filter(({ findingCount }) => findingCount > 4))).toEqual([]);
  });

  it('accepts mutants that keep the contract in the contract profile', () => {
    const contract = new Set(checksFor('contract').map(({ name }) => name));
    const strict = kills.filter(({ mutant }) => mutant.breaks === 'strict');
    expect(namesOf(strict.filter(({ checks }) => checks.some((name) => contract.has(name))))).toEqual([]);
  });
});

describe('the kill table', () => {
  it('has every mutant once', () => {
    expect(kills.map(({ mutant }) => mutant.number)).toEqual(mutants.map(({ number }) => number));
  });

  it('names the checks that find each mutant, in packages/testkit/results/kills.json', async () => {
    const found = renderKillTable(kills);
    if (isUpdate) await Bun.write(table, found);
    else expect(await table.text()).toBe(found);
  });
});

function namesOf(found: Kill[]): string[] {
  return found.map(({ mutant }) => mutant.name);
}
