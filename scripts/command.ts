import { join } from 'node:path';
import { OperatorError } from '../src/domain/error.ts';

export const project = join(import.meta.dir, '..');

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
}

/** Runs a command to its end. */
export async function runToEnd(command: string[], options: Options = {}): Promise<Ended> {
  const { cwd = project, env = {}, input = '' } = options;
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  return { status, stdout, stderr };
}

/** Runs a command that must succeed and returns what it printed. */
export async function outputOf(command: string[], options: Options = {}): Promise<string> {
  const { status, stdout, stderr } = await runToEnd(command, options);
  if (status === 0) return stdout.trim();
  throw new OperatorError(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}
