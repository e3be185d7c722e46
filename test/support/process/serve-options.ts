import { Command } from 'commander';
import { readServeOptions, settings } from '../../../src/cli/settings.ts';
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
    for (const option of Object.values(settings)) command.addOption(option);
    return readServeOptions(command.parse(args, { from: 'user' }).opts());
  } finally {
    process.env = saved;
  }
}
