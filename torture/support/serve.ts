import { startService, type Service, type ServiceOptions } from '../../test/support/process/process.ts';

export interface TortureServiceOptions extends ServiceOptions {
  /** A preload that breaks it. */
  broken?: string | undefined;
}

/** Longer than the soak, which takes an hour. */
const longestLifeMs = 75 * 60_000;

export function serve({ broken, env = {}, ...others }: TortureServiceOptions): Promise<Service> {
  const preload = broken === undefined ? {} : { BUN_OPTIONS: `--preload=${broken}` };
  return startService({ longestLifeMs, ...others, env: { ...env, ...preload } });
}
