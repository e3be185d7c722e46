import { hashKey } from '../../../src/api-key.ts';
import { createApi } from '../../../src/conform/api.ts';
import type { Profile } from '../../../src/conform/check.ts';
import { runChecks } from '../../../src/conform/run.ts';
import { createApp, type App } from '../../../src/http/app.ts';
import type { Mutant } from '../../../src/sandbox/mutants/index.ts';
import { sandboxDefaults } from '../../../src/sandbox/sandbox.ts';
import { openSeededStore } from '../../../src/sandbox/store.ts';
import { silentLog } from '../http/service.ts';

/** Runs checks against the service or a mutant of it, each time on the pets of a new sandbox. */
export interface CheckedSandbox {
  /** The names of the checks that fail. */
  failedChecks(profile: Profile, mutant?: Mutant): Promise<string[]>;
  close(): Promise<void>;
}

/** A sandbox without a socket. */
export function openCheckedSandbox(): CheckedSandbox {
  const { apiKey, seed, count } = sandboxDefaults;
  const store = openSeededStore({ seed, count, recordsOrders: false });
  const { pets, keys } = store;
  const app = createApp({ pets, keys, log: silentLog, fixedKeys: new Set([hashKey(apiKey)]) });
  return {
    async failedChecks(profile, mutant) {
      store.reset();
      const fetch: App['fetch'] = mutant ? mutant.wrap(app.fetch, apiKey) : app.fetch;
      const send = async (url: string, init: RequestInit): Promise<Response> => fetch(new Request(url, init));
      const results = await runChecks(createApi({ url: 'http://localhost', apiKey, fetch: send }), { profile });
      return results.flatMap(({ check, failure }) => (failure ? [check.name] : []));
    },
    close: () => store.close(),
  };
}
