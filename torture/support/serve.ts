import { startService, type Service, type ServiceOptions } from '../../test/support/process/process.ts';

export interface TortureServiceOptions extends ServiceOptions {
  /** A preload that breaks it; its workers get it as well. */
  broken?: string | undefined;
}

/** Nothing here runs longer than the longest soak. */
const longestLifeMs = 45 * 60_000;

export function serve({ broken, env = {}, ...others }: TortureServiceOptions): Promise<Service> {
  const preload = broken === undefined ? {} : { BUN_OPTIONS: `--preload=${broken}` };
  return startService({ longestLifeMs, ...others, env: { ...env, ...preload } });
}
