import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder with the hash of its bytes, to show that nothing was changed, added or removed. */
export function hashesOf(folder: string): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true }).map(String).toSorted()) {
    const path = join(folder, name);
    const found = lstatSync(path);
    if (found.isSymbolicLink()) hashes[name] = `link to ${readlinkSync(path)}`;
    else if (found.isFile()) hashes[name] = Bun.hash(readFileSync(path)).toString(36);
    else hashes[name] = 'folder';
  }
  return hashes;
}
