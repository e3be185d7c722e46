import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  path: string;
}

const inUse = new Set<string>();

export function makeTemporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `petstore-bench-${name}-`));
  inUse.add(path);
  return { path, [Symbol.dispose]: () => remove(path) };
}

/** For an end that leaves no time for anything else. */
export function removeTemporaryFolders(): void {
  for (const path of inUse) remove(path);
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
  inUse.delete(path);
}
