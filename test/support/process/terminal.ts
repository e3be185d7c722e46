import { cleanEnvironment, makeFolder, petstoreCommand, type CliOptions } from './process.ts';

export interface TerminalRun {
  status: number;
  /** Everything that appeared on the screen, with the line ends of a file. */
  screen: string;
}

/** Runs a command on a terminal of its own, where a person would see it. */
export async function runOnTerminal(
  args: string[],
  options: CliOptions & { program?: string } = {},
): Promise<TerminalRun> {
  using folder = makeFolder();
  const decoder = new TextDecoder();
  let screen = '';
  const child = Bun.spawn(petstoreCommand(args, options.program), {
    cwd: options.cwd ?? folder.path,
    env: cleanEnvironment({ ...options.env, TERM: 'xterm' }),
    timeout: 300_000,
    killSignal: 'SIGKILL',
    terminal: {
      cols: 120,
      rows: 40,
      data: (_terminal, data) => {
        screen += decoder.decode(data, { stream: true });
      },
    },
  });
  const status = await child.exited;
  // What was written last may still be on its way.
  for (let seen = -1; seen !== screen.length; await Bun.sleep(50)) seen = screen.length;
  child.terminal?.close();
  return { status, screen: screen.replaceAll('\r\n', '\n') };
}
