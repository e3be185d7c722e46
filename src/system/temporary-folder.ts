import { lstatSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeftover } from './leftovers.ts';

type Purpose = 'sandbox' | 'rehearsal';

const touchEveryMs = 3_600_000;

/** Creates a folder for this user only. It is touched every hour while the process runs, so an old one is abandoned. */
export function makeTemporaryFolder(purpose: Purpose): string {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${purpose}-`));
  const touching = setInterval(() => {
    try {
      utimesSync(folder, new Date(), new Date());
    } catch {
      clearInterval(touching);
    }
  }, touchEveryMs).unref();
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes folders of killed processes. Other users' folders are left alone. */
export function removeAbandonedFolders(purpose: Purpose): void {
  for (const name of namesIn(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(`petstore-${purpose}-`) || !isLeftover(folder)) continue;
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    try {
      removeFolder(folder);
    } catch {
      // Another process is removing it, or the next one will.
    }
  }
}

/** The temporary folder may be writable but not listable. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
