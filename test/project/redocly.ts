import { join } from 'node:path';
import { project, run } from '../support/process/package.ts';

/** Runs Redocly's CLI, which calls home unless it is told not to. */
export function runRedocly(args: string[]): ReturnType<typeof run> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return run([join(project, 'node_modules/.bin/redocly'), ...args], project, env);
}

/** What the recommended rules say against a document, warnings included. */
export async function lint(file: string): Promise<unknown[]> {
  const { stdout } = await runRedocly(['lint', file, '--extends=recommended', '--format=json']);
  return (JSON.parse(stdout) as { problems: unknown[] }).problems;
}
