import { beforeAll, describe, expect, it } from 'bun:test';
import { createApp, type App } from '../../../../src/http/app.ts';
import { silentLog } from '../../../../test/support/http/service.ts';
import { createApi } from '../../src/conform/api.ts';
import type { Profile } from '../../src/conform/check.ts';
import { checksFor } from '../../src/conform/checks.ts';
import { findingsOf } from '../../src/conform/findings.ts';
import { runChecks, type CheckResult } from '../../src/conform/run.ts';
import { mutants, type Mutant } from '../../src/mutants/index.ts';
import { sandboxDefaults } from '../../src/sandbox/sandbox.ts';
import { openSeededStore } from '../../src/sandbox/store.ts';

const table = Bun.file(new URL('../../results/kills.json', import.meta.url));

/** Runs every check and writes the table anew. */
const isUpdate = process.env['UPDATE_KILL_TABLE'] === '1';
let kills: Kill[];

// Thousands of requests: a busy machine may take longer than for any other test.
beforeAll(async () => {
  kills = await findMutants(isUpdate ? new Map() : readKillTable(await table.text()));
}, 600_000);

describe('conform', () => {
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
  it('names the checks that find each mutant, in packages/testkit/results/kills.json', async () => {
    const found = renderKillTable(kills);
    if (isUpdate) await Bun.write(table, found);
    else expect(await table.text()).toBe(found);
  });
});

function namesOf(found: Kill[]): string[] {
  return found.map(({ mutant }) => mutant.name);
}

/** A mutant and the names of the checks that find it. */
interface Kill {
  mutant: Mutant;
  checks: string[];
  /** So many causes `petstore-conform` reports. */
  findingCount: number;
}

/** Creates wait for the disk, so several sandboxes take turns on a processor. */
const sandboxCount = 4;

/** The names of the checks that found a mutant before, by its name. */
type KnownKills = ReadonlyMap<string, readonly string[]>;

/**
 * Runs against each mutant the checks that found it before, and those that must not find it. If others fail, or the
 * mutant is new, all checks of its profile: what one finds may depend on those before it.
 */
async function findMutants(known: KnownKills): Promise<Kill[]> {
  const contract = checksFor('contract').map(({ name }) => name);
  const waiting = mutants.values();
  const found: Kill[] = [];
  const work = async (): Promise<void> => {
    await using sandbox = await openCheckedSandbox();
    for (const mutant of waiting) {
      const before = known.get(mutant.name) ?? [];
      const only = mutant.breaks === 'contract' ? [...before] : [...contract, ...before];
      let results = await sandbox.results(mutant.breaks, mutant, only);
      if (before.length === 0 || failedNames(results).join() !== before.join()) {
        results = await sandbox.results(mutant.breaks, mutant);
      }
      found.push({ mutant, checks: failedNames(results), findingCount: findingsOf(results).length });
    }
  };
  await Promise.all(Array.from({ length: sandboxCount }, work));
  return found.toSorted((one, other) => one.mutant.number - other.mutant.number);
}

/** Runs checks against the service or a mutant of it, each time with the pets of a new sandbox. */
interface CheckedSandbox extends AsyncDisposable {
  results(profile: Profile, mutant?: Mutant, only?: string[]): Promise<CheckResult[]>;
}

/** A sandbox without a socket. */
async function openCheckedSandbox(): Promise<CheckedSandbox> {
  const { apiKey, seed, count } = sandboxDefaults;
  const store = await openSeededStore({ seed, count });
  const app = createApp({
    pets: store.pets,
    events: store.events,
    orders: store.orders,
    keys: store.keys,
    log: silentLog,
    apiKeys: [apiKey],
  });
  return {
    async results(profile, mutant, only) {
      store.reset();
      const fetch: App['fetch'] = mutant ? mutant.wrap(app.fetch, apiKey) : app.fetch;
      const send = async (url: string, init: RequestInit): Promise<Response> => fetch(new Request(url, init));
      return runChecks(createApi({ url: 'http://localhost', apiKey, fetch: send }), { profile, only });
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** The names of the checks that fail. */
function failedNames(results: CheckResult[]): string[] {
  return results.flatMap(({ check, failure }) => (failure ? [check.name] : []));
}

function readKillTable(text: string): KnownKills {
  const rows = JSON.parse(text) as { name: string; foundBy: string[] }[];
  return new Map(rows.map(({ name, foundBy }) => [name, foundBy]));
}

/** As the JSON file that keeps it, a line for each mutant. */
function renderKillTable(found: readonly Kill[]): string {
  const lines = found.map(({ mutant: { number, name, breaks, description }, checks }) => {
    return JSON.stringify({ number, name, breaks, mistake: description, foundBy: checks });
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}
