import { hashKey } from '../../../src/domain/api-key.ts';
import { createApi } from '../../../packages/testkit/src/conform/api.ts';
import type { Profile } from '../../../packages/testkit/src/conform/check.ts';
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

/** Runs the checks of the profile that a mutant breaks against each mutant. */
export async function findMutants(): Promise<Kill[]> {
  const waiting = mutants.values();
  const kills: Kill[] = [];
  const work = async (): Promise<void> => {
    await using sandbox = openCheckedSandbox();
    for (const mutant of waiting) {
      const results = await sandbox.results(mutant.breaks, mutant);
      kills.push({ mutant, checks: failedNames(results), findingCount: findingsOf(results).length });
    }
  };
  await Promise.all(Array.from({ length: sandboxCount }, work));
  return kills.toSorted((one, other) => one.mutant.number - other.mutant.number);
}

/** Runs checks against the service or a mutant of it, each time with the pets of a new sandbox. */
export interface CheckedSandbox extends AsyncDisposable {
  results(profile: Profile, mutant?: Mutant): Promise<CheckResult[]>;
}

/** A sandbox without a socket. */
export function openCheckedSandbox({ stableOnly = false } = {}): CheckedSandbox {
  const { apiKey, seed, count } = sandboxDefaults;
  const store = openSeededStore({ seed, count });
  const { pets, keys } = store;
  const app = createApp({
    pets,
    experimental: stableOnly ? undefined : store.experimental,
    keys,
    log: silentLog,
    fixedKeys: new Set([hashKey(apiKey)]),
  });
  return {
    async results(profile, mutant) {
      store.reset();
      const fetch: App['fetch'] = mutant ? mutant.wrap(app.fetch, apiKey) : app.fetch;
      const send = async (url: string, init: RequestInit): Promise<Response> => fetch(new Request(url, init));
      return runChecks(createApi({ url: 'http://localhost', apiKey, fetch: send }), { profile });
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** The names of the checks that fail. */
export function failedNames(results: CheckResult[]): string[] {
  return results.flatMap(({ check, failure }) => (failure ? [check.name] : []));
}

/** As the JSON file that keeps it, a line for each mutant. */
export function renderKillTable(kills: readonly Kill[]): string {
  const lines = kills.map(({ mutant: { number, name, breaks, description }, checks }) => {
    return JSON.stringify({ number, name, breaks, mistake: description, foundBy: checks });
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}
