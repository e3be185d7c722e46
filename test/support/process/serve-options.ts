import { Command } from 'commander';
import { addServeOptions, readServeOptions } from '../../../src/cli/settings.ts';
import type { ServeOptions } from '../../../src/server/options.ts';

/** The options that `petstore serve` would run with, given these arguments and nothing but these variables. */
export function parseServeOptions(
  args: string[],
  environment: Record<string, string | undefined>,
): ServeOptions {
  const saved = process.env;
  process.env = { ...environment };
  try {
    const command = new Command();
    addServeOptions(command);
    return readServeOptions(command.parse(args, { from: 'user' }).opts());
  } finally {
    process.env = saved;
  }
}
