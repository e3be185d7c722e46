import { startService, type Service, type ServiceOptions } from '../test/process.ts';

export interface TortureServiceOptions extends ServiceOptions {
  /** Serves with this program instead of the project's own. */
  program?: string | undefined;
}

/** Nothing here runs longer than the longest soak. */
const longestLifeMs = 45 * 60_000;

export function serve({
  program,
  wrap = (command) => command,
  ...options
}: TortureServiceOptions): Promise<Service> {
  const chosen = (command: string[]) => (program === undefined ? command : command.with(1, program));
  return startService({ longestLifeMs, ...options, wrap: (command) => wrap(chosen(command)) });
}
