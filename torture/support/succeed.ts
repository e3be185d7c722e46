import { runCli } from '../../test/support/process/process.ts';

/** Runs a command that must succeed, and gives what it printed. */
export async function succeed(args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCli(args);
  if (status !== 0) throw new Error(`petstore ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}
