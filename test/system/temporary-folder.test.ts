import { describe, expect, it } from 'bun:test';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  removeFolder,
} from '../../src/system/temporary-folder.ts';

describe.each(['sandbox', 'rehearsal'] as const)('the temporary folder of a %s', (purpose) => {
  it('is for its user alone', () => {
    const folder = makeTemporaryFolder(purpose);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    removeFolder(folder);
  });

  it('is removed if its process was killed, and only then', async () => {
    const mine = makeTemporaryFolder(purpose);
    const ended = Bun.spawn(['true']);
    await ended.exited;
    const leftover = mine.replace(`-${process.pid}-`, `-${ended.pid}-`);
    mkdirSync(leftover);
    removeAbandonedFolders(purpose);
    expect([existsSync(leftover), existsSync(mine)]).toEqual([false, true]);
    removeFolder(mine);
  });
});
