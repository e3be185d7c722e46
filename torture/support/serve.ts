import { childrenOf } from '../../test/support/process/process-tree.ts';
import {
  endProcess,
  startService,
  type Service,
  type ServiceOptions,
} from '../../test/support/process/process.ts';
import { findSecrets } from './secrets.ts';

export interface TortureServiceOptions extends ServiceOptions {
  /** A preload that breaks it; its workers get it as well. */
  broken?: string | undefined;
}

/** Nothing here runs longer than the longest soak. */
const longestLifeMs = 45 * 60_000;

/** A service whose end fails, and its test with it, when a key is found in what it leaves behind. */
export async function serve(options: TortureServiceOptions): Promise<Service> {
  const { broken, env = {}, ...others } = options;
  const service = await startService({
    longestLifeMs,
    ...others,
    env: broken === undefined ? env : { ...env, BUN_OPTIONS: `--preload=${broken}` },
  });
  const dispose = service[Symbol.asyncDispose];
  service[Symbol.asyncDispose] = async () => {
    try {
      const workers = childrenOf(service.pid);
      const ended = service.kill9();
      workers.forEach(endProcess);
      await ended;
      const found = findSecrets(service);
      if (found.length > 0) throw new Error(found.join('; '));
    } finally {
      await dispose();
    }
  };
  return service;
}
