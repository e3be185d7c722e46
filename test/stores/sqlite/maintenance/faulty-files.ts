import { join } from 'node:path';

/** Runs a command with the preload `faulty-files.cjs`, which its environment controls. */
export function withFaultyFiles([bun = '', ...command]: string[]): string[] {
  return [bun, '--preload', join(import.meta.dir, 'faulty-files.cjs'), ...command];
}
