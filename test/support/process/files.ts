import { expect } from 'bun:test';
import { runCli, type CliResult } from './process.ts';

/** The pets of a store as our own export writes them. */
export async function exported(place: string, format = 'ndjson'): Promise<string> {
  const { status, stdout } = await runCli(['export', '--format', format, '--database-url', place]);
  expect(status).toBe(0);
  return stdout;
}

export function importText(text: string, place: string, ...args: string[]): Promise<CliResult> {
  return runCli(['import', '--database-url', place, ...args], { input: text });
}
