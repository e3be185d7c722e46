import { createApi } from '../../../src/conform/api.ts';
import type { Profile } from '../../../src/conform/check.ts';
import { runChecks } from '../../../src/conform/run.ts';
import type { App } from '../../../src/http/app.ts';
import { mutants, type Mutant } from '../../../src/sandbox/mutants/index.ts';
import { openService } from '../http/service.ts';

/** A mutant and the checks that find it. */
export interface Kill {
  mutant: Mutant;
  checks: string[];
}

/** Runs every check against every mutant, each on an empty store. */
export async function findMutants(): Promise<Kill[]> {
  const kills: Kill[] = [];
  for (const mutant of mutants) {
    kills.push({ mutant, checks: await failedChecks('strict', mutant) });
  }
  return kills;
}

/** The names of the checks that fail, of a mutant or of the service itself. */
export async function failedChecks(profile: Profile, mutant?: Mutant): Promise<string[]> {
  await using service = await openService();
  const { app, apiKey } = service;
  const fetch: App['fetch'] = mutant ? mutant.wrap(app.fetch, apiKey) : app.fetch;
  const api = createApi({
    url: 'http://localhost',
    apiKey,
    fetch: async (url, init) => fetch(new Request(url, init)),
  });
  const results = await runChecks(api, { profile });
  return results.flatMap(({ check, failure }) => (failure ? [check.name] : []));
}
