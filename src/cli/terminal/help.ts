import type { Command, HelpConfiguration, OutputConfiguration } from 'commander';
import { hasColour, style } from './colour.ts';

const width = (): number => Math.min(80, process.stdout.columns || 80);
const colour = (): boolean => hasColour(process.stdout);

/** Commander removes the styles where there is no colour. */
export const helpStyle: HelpConfiguration = {
  showGlobalOptions: true,
  styleTitle: (text) => style('bold', text),
  styleOptionTerm: (text) => style('cyan', text),
  styleSubcommandTerm: (text) => style('cyan', text),
  styleArgumentTerm: (text) => style('cyan', text),
};

/** Errors are thrown, not printed: what commander writes to standard error is the help of an incomplete command. */
export const helpOutput: OutputConfiguration = {
  getOutHelpWidth: width,
  getErrHelpWidth: width,
  getOutHasColors: colour,
  getErrHasColors: colour,
  outputError: () => {},
  writeErr: (text) => process.stdout.write(text),
};

/** Ends a command's help with examples. */
export function addExamples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', () => `\n${style('bold', 'Examples:')}\n  ${lines.join('\n  ')}`);
}
