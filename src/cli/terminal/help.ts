import { styleText } from 'node:util';
import type { Command, HelpConfiguration, OutputConfiguration } from 'commander';

const width = (): number => Math.min(80, process.stdout.columns || 80);

export const helpStyle: HelpConfiguration = {
  showGlobalOptions: true,
  styleTitle: (text) => styleText('bold', text),
  styleOptionTerm: (text) => styleText('cyan', text),
  styleSubcommandTerm: (text) => styleText('cyan', text),
  styleArgumentTerm: (text) => styleText('cyan', text),
};

/** Errors are thrown, not printed. Commander writes to standard error only to show an incomplete command's help. */
export const helpOutput: OutputConfiguration = {
  getOutHelpWidth: width,
  getErrHelpWidth: width,
  getErrHasColors: () => process.stdout.isTTY && process.stdout.hasColors(),
  outputError: () => {},
  writeErr: (text) => process.stdout.write(text),
};

/** Ends a command's help with examples. */
export function addExamples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', () => `\n${styleText('bold', 'Examples:')}\n  ${lines.join('\n  ')}`);
}

/** For the help of commands that use a bucket. */
export const s3Help = `
For s3: addresses, set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; if needed,
S3_ENDPOINT, S3_REGION and S3_SESSION_TOKEN. AWS_… variables work, too.`;
