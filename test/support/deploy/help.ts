import { runCli } from '../process/process.ts';

/** What the help of a command names. */
export interface Help {
  flags: Set<string>;
  variables: Set<string>;
}

export async function helpOf(...command: string[]): Promise<Help> {
  const { stdout } = await runCli([...command, '--help']);
  // For a command that it does not know, the program shows the help of all.
  const usage = `Usage: petstore ${command.join(' ')} `;
  if (!stdout.startsWith(usage)) throw new Error(`There is no command ${command.join(' ')}.`);
  return {
    flags: new Set([...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag)),
    variables: new Set([...stdout.matchAll(/env:\s+([A-Z_]+)\)/g)].map(([, variable = '']) => variable)),
  };
}

/** The words of a command line that names `petstore`: its commands, and the flags that it is given. */
export function readCommandLine(line: string): { command: string[]; flags: string[] } {
  const [, ...words] = line.split(/\s+/);
  const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
  return {
    command: end === -1 ? words : words.slice(0, end),
    flags: words.filter((word) => word.startsWith('--')),
  };
}
