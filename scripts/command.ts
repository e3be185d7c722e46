import { join } from 'node:path';
import { OperatorError } from '../src/domain/error.ts';

export const project = join(import.meta.dir, '..');

/** Runs a command to its end and returns what it printed. If it fails, the last line it wrote says why. */
export async function outputOf(
  command: string[],
  { cwd = project, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  if (status === 0) return stdout;
  const said = `${stdout}\n${stderr}`.trim().split('\n').at(-1);
  throw new OperatorError(`${command.join(' ')} ended with ${status}: ${said}`);
}
