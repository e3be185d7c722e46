import { expect } from 'bun:test';
import { runCli, type CliOptions } from '../support/process/process.ts';

/** Starts the service where it must not start: one line for the operator, no stack, nothing on stdout. */
export async function expectRefusedStart(
  env: Record<string, string>,
  { status, message }: { status: number; message: string },
  options: Pick<CliOptions, 'wrap'> = {},
): Promise<void> {
  const result = await runCli(['serve'], { ...options, env });
  expect(result).toEqual({ status, stdout: '', stderr: `petstore: ${message}\n` });
}
