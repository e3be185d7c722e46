import { hashKey } from '../../../src/domain/api-key.ts';
import { createApi } from '../../../packages/testkit/src/conform/api.ts';
import type { Profile } from '../../../packages/testkit/src/conform/check.ts';
import { checksFor } from '../../../packages/testkit/src/conform/checks.ts';
import { findingsOf } from '../../../packages/testkit/src/conform/findings.ts';
import { runChecks, type CheckResult } from '../../../packages/testkit/src/conform/run.ts';
import { createApp, type App } from '../../../src/http/app.ts';
import { mutants, type Mutant } from '../../../packages/testkit/src/mutants/index.ts';
import { sandboxDefaults } from '../../../packages/testkit/src/sandbox/sandbox.ts';
import { openSeededStore } from '../../../packages/testkit/src/sandbox/store.ts';
import { silentLog } from '../http/service.ts';

/** A mutant and the names of the checks that find it. */
export interface Kill {
  mutant: Mutant;
  checks: string[];
  /** So many causes `petstore-conform` reports. */
  findingCount: number;
}

/** Creates wait for the disk, so several sandboxes take turns on a processor. */
const sandboxCount = 4;

/** The names of the checks that found a mutant before, by its name. */
export type KnownKills = ReadonlyMap<string, readonly string[]>;

/**
 * Runs against each mutant the checks that found it before, and those that must not find it. If others fail, or the
 * mutant is new, all checks of its profile: what one finds may depend on those before it.
 */
export async function findMutants(known: KnownKills): Promise<Kill[]> {
  const contract = checksFor('contract').map(({ name }) => name);
  const waiting = mutants.values();
  const kills: Kill[] = [];
  const work = async (): Promise<void> => {
    await using sandbox = openCheckedSandbox();
    for (const mutant of waiting) {
      const before = known.get(mutant.name) ?? [];
      const only = mutant.breaks === 'contract' ? [...before] : [...contract, ...before];
      let results = await sandbox.results(mutant.breaks, mutant, only);
      if (before.length === 0 || failedNames(results).join() !== before.join()) {
        results = await sandbox.results(mutant.breaks, mutant);
      }
      kills.push({ mutant, checks: failedNames(results), findingCount: findingsOf(results).length });
    }
  };
  await Promise.all(Array.from({ length: sandboxCount }, work));
  return kills.toSorted((one, other) => one.mutant.number - other.mutant.number);
}

/** Runs checks against the service or a mutant of it, each time with the pets of a new sandbox. */
export interface CheckedSandbox extends AsyncDisposable {
  results(profile: Profile, mutant?: Mutant, only?: string[]): Promise<CheckResult[]>;
}

/** A sandbox without a socket. */
export function openCheckedSandbox({ stableOnly = false } = {}): CheckedSandbox {
  const { apiKey, seed, count } = sandboxDefaults;
  const store = openSeededStore({ seed, count });
  const app = createApp({
    pets: store.pets,
    events: store.events,
    orders: store.orders,
    keys: store.keys,
    isStableOnly: stableOnly,
    log: silentLog,
    fixedKeys: new Set([hashKey(apiKey)]),
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
export function failedNames(results: CheckResult[]): string[] {
  return results.flatMap(({ check, failure }) => (failure ? [check.name] : []));
}

export function readKillTable(text: string): KnownKills {
  const kills = JSON.parse(text) as { name: string; foundBy: string[] }[];
  return new Map(kills.map(({ name, foundBy }) => [name, foundBy]));
}

/** As the JSON file that keeps it, a line for each mutant. */
export function renderKillTable(kills: readonly Kill[]): string {
  const lines = kills.map(({ mutant: { number, name, breaks, description }, checks }) => {
    return JSON.stringify({ number, name, breaks, mistake: description, foundBy: checks });
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}
