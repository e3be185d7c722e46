import type { App } from '../../src/http/app.ts';
import type { Mutant } from '../../packages/testkit/src/mutants/index.ts';
import { sandboxDefaults, startSandbox, type Sandbox } from '../../packages/testkit/src/sandbox/sandbox.ts';

/** A sandbox on one port that serves one mutant after the other. */
export interface MutableSandbox extends Sandbox {
  /** Begins anew with a mutant, or with none. */
  use(mutant: Mutant | undefined): void;
  /** How many requests came with the key since it began anew, whatever the response. */
  requestCount(): number;
}

export async function openMutableSandbox(): Promise<MutableSandbox> {
  const { apiKey } = sandboxDefaults;
  let mutant: Mutant | undefined;
  let wrapped: App['fetch'] | undefined;
  let requestCount = 0;
  const sandbox = await startSandbox({
    apiKey,
    wrap: (next) => (request) => {
      if (request.headers.get('Authorization') === `Bearer ${apiKey}`) requestCount += 1;
      wrapped ??= mutant ? mutant.wrap(next, apiKey) : next;
      return wrapped(request);
    },
  });
  return {
    ...sandbox,
    use(other) {
      mutant = other;
      wrapped = undefined;
      requestCount = 0;
      sandbox.reset();
    },
    requestCount: () => requestCount,
  };
}
