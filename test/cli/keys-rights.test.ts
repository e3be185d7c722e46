import { describe, expect, it } from 'bun:test';
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { heldToRights, makeFolder, runCli } from '../support/process/process.ts';

/** A store of another user. Only root can make one; for anybody else there are those of root. */
async function makeForeignStore(folder: string): Promise<string> {
  if (process.getuid?.() !== 0) return '/proc/1/root/petstore.db';
  const home = join(folder, 'service');
  const database = join(home, 'petstore.db');
  mkdirSync(home, { mode: 0o700 });
  await runCli(['keys', 'create', '--name', 'till', '--database-url', database]);
  for (const path of [home, database, `${database}-wal`, `${database}-shm`])
    chownSync(path, nobody(), nobody());
  return database;
}

describe('a store of another user', () => {
  it.each([[['keys', 'list']], [['keys', 'create', '--name', 'till']], [['restore', import.meta.path]]])(
    'may be used by its owner alone: %j',
    async (args) => {
      using place = makeFolder();
      const database = await makeForeignStore(place.path);
      expect(await runCli([...args, '--database-url', database], { wrap: heldToRights })).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `petstore: The store ${database} cannot be used: permission denied. Run this as its owner, give this user ` +
          'rights to the folder and the file, or choose another file with --database-url.\n',
      });
    },
  );

  it('leaves every file with its owner when root makes a key', async () => {
    using place = makeFolder();
    const database = await makeForeignStore(place.path);
    const isRoot = process.getuid?.() === 0;
    const { status } = await runCli(['keys', 'create', '--name', 'till', '--database-url', database]);
    expect(status).toBe(isRoot ? 0 : 1);
    if (!isRoot) return;
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(`${database}${suffix}`).uid).toBe(nobody());
  });
});

function nobody(): number {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('nobody:'));
  return Number(line?.split(':')[2]);
}
