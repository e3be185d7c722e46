import { join } from 'node:path';
import type { Run } from './torture-test.ts';

/** Runs a test against the service behind a broken layer: the name of a file in `broken/`. */
export function againstBroken(run: Run, name: string): Run {
  return (options) => run({ ...options, broken: brokenLayer(name) });
}

export function brokenLayer(name: string): string {
  return join(import.meta.dir, '../broken', `${name}.ts`);
}
