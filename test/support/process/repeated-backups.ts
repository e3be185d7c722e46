import { dirname } from 'node:path';
import { startCli } from './process.ts';
import type { RunningProgram } from './running.ts';

interface Options {
  database: string;
  to: string;
  /** More options of the command. */
  args?: string[];
  env?: Record<string, string>;
}

/** `petstore backup --every 1s`, until it is stopped or killed. */
export function startBackups({ database, to, args = [], env = {} }: Options): RunningProgram {
  const command = ['backup', to, '--every', '1s', '--database-url', database, ...args];
  return startCli(command, { cwd: dirname(database), env });
}
