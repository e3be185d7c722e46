import { afterAll, describe, expect, it } from 'bun:test';
import { Database } from 'bun:sqlite';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { openListener } from '../../src/server/listener.ts';
import { sqliteVersion } from '../../src/stores/sqlite/connect.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { makeFolder, heldToRights, runCli, startService } from '../support/process/process.ts';
import { expectRefusedStart } from './refused-start.ts';
import { createPet } from '../support/changes.ts';

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const place = (name: string): string => join(folder.path, name);

const expectRefusal = (
  env: Record<string, string>,
  expected: { status: number; message: string },
): Promise<void> =>
  expectRefusedStart({ DATABASE_URL: place('unused.db'), ...env }, expected, { wrap: heldToRights });

describe('a port that is taken', () => {
  it('stops any start', async () => {
    await using service = await startService();
    const { port } = new URL(service.url);
    await expectRefusal(
      { PORT: port },
      {
        status: 1,
        message: `Port ${port} on 127.0.0.1 is taken. Stop the program that uses it, or choose another port with --port.`,
      },
    );
    expect(existsSync(place('unused.db'))).toBe(false);
    expect((await service.call('/v1/pets')).status).toBe(200);
  });

  it('is not shared, even by a service that found it free', () => {
    const options = { host: '127.0.0.1', port: 0 };
    const fetch = () => new Response();
    const listener = openListener({ options, tls: undefined, fetch });
    const port = listener.port ?? 0;
    expect(() => openListener({ options: { ...options, port }, tls: undefined, fetch })).toThrow(
      `Port ${port} on 127.0.0.1 is taken.`,
    );
    void listener.stop(true);
  });
});

describe('an address of another machine', () => {
  it('stops a start', async () => {
    const { status, stdout, stderr } = await runCli(['serve'], {
      // RFC 5737 keeps this network for documentation.
      env: { HOST: '192.0.2.1', DATABASE_URL: place('unused.db'), LOG_LEVEL: 'error' },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^petstore: Cannot listen on 192\.0\.2\.1, port 0: address not available\. Choose others with --host and --port\.\n$/,
    );
  });
});

describe('a store that cannot be written', () => {
  it.each<[title: string, path: string, make: (path: string) => unknown, reason: string]>([
    [
      'is below a regular file',
      'plain/data/petstore.db',
      () => writeFileSync(place('plain'), ''),
      'not a directory',
    ],
    ['has a folder that cannot be made', '/proc/x/petstore.db', () => {}, 'no such file or directory'],
    [
      'has a folder that may not be used',
      'locked/petstore.db',
      () => mkdirSync(place('locked'), { mode: 0o500 }),
      'permission denied',
    ],
    [
      'has a file that may not be used',
      'locked.db',
      (path) => makeStore(path).then(() => chmodSync(path, 0o400)),
      'permission denied',
    ],
  ])('stops the start if it %s', async (_title, name, make, reason) => {
    const path = isAbsolute(name) ? name : place(name);
    await make(path);
    await expectRefusal(
      { DATABASE_URL: path },
      {
        status: 1,
        message:
          `The store ${path} cannot be used: ${reason}. Run this as its owner, give this user rights to the folder and ` +
          'the file, or choose another file with --database-url.',
      },
    );
  });

  it('stops the start if it is a folder', async () => {
    const path = place('folder.db');
    mkdirSync(path);
    const advice = `${path} is not a file. Name a file with --database-url.`;
    await expectRefusal({ DATABASE_URL: path }, { status: 1, message: advice });
  });
});

describe('a file that is not a petstore store', () => {
  const cases: {
    name: string;
    make: (path: string) => void | Promise<void>;
    message: (path: string) => string;
  }[] = [
    {
      name: 'no database',
      make: (path) => writeFileSync(path, 'Dear diary, today I wrote no database. '.repeat(50)),
      message: (path) =>
        `${path} is not a database. Choose another file with --database-url, or move this one away.`,
    },
    {
      name: 'a database of another program',
      make(path) {
        using database = new Database(path, { create: true });
        database.run('CREATE TABLE bookmarks (url TEXT)');
      },
      message: (path) =>
        `${path} is a SQLite database of another program. Choose another file with --database-url.`,
    },
    {
      name: 'a damaged database',
      async make(path) {
        await makeStore(path);
        const bytes = readFileSync(path);
        bytes.fill(0xa5, 4096, bytes.length - 4096);
        writeFileSync(path, bytes);
      },
      message: damaged,
    },
  ];

  it.each(cases)('$name is refused, and left as it is', async ({ make, message }) => {
    using own = makeFolder();
    await make(own.database);
    const before = readFileSync(own.database);
    const result = await runCli(['serve'], { env: { DATABASE_URL: own.database } });
    expect(result).toEqual({ status: 1, stdout: '', stderr: `petstore: ${message(own.database)}\n` });
    expect(readFileSync(own.database).equals(before)).toBe(true);
  });
});

describe('SQLite', () => {
  // Before 3.51.3, it can lose a commit if the log restarts while another connection writes.
  it('is new enough in the Bun that npm installs', () => {
    expect(Bun.semver.order(sqliteVersion(), '3.51.3')).not.toBe(-1);
  });
});

function damaged(path: string): string {
  return `The database ${path} is damaged. Put a backup in its place: petstore restore FILE --force`;
}

/** A store with enough in it to have many pages. */
async function makeStore(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      store.pets.apply(createPet({ name: `Rex ${index} `.repeat(20), categoryId: 1n, status: 'available' })),
    ),
  );
  await store.close();
}
