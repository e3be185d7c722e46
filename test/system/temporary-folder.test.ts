import { describe, expect, it } from 'bun:test';
import { existsSync, statSync, utimesSync } from 'node:fs';
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  removeFolder,
} from '../../src/system/temporary-folder.ts';

const dayMs = 86_400_000;

describe.each(['sandbox', 'rehearsal'] as const)('the temporary folder of a %s', (purpose) => {
  it('is for its user alone', () => {
    const folder = makeTemporaryFolder(purpose);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    removeFolder(folder);
  });

  it('is removed after a day without use, and only then', () => {
    const [young, old] = [makeTemporaryFolder(purpose), makeTemporaryFolder(purpose)];
    const ago = (ms: number) => new Date(Date.now() - ms);
    utimesSync(young, ago(0.9 * dayMs), ago(0.9 * dayMs));
    utimesSync(old, ago(1.1 * dayMs), ago(1.1 * dayMs));
    removeAbandonedFolders(purpose);
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    removeFolder(young);
  });
});
