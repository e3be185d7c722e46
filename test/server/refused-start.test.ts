import { afterAll, describe, expect, it } from 'bun:test';
import { Database } from 'bun:sqlite';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { loadTls, openListener } from '../../src/server/listener.ts';
import { storeAt } from '../../src/stores/open.ts';
import { sqliteVersion } from '../../src/stores/sqlite/connect.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { createPet } from '../support/changes.ts';
import { heldToRights, makeFolder, runCli, startService } from '../support/process/process.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

const certificate = join(import.meta.dir, '../fixtures/localhost.pem');
const privateKey = join(import.meta.dir, '../fixtures/localhost-key.pem');

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const place = (name: string): string => join(folder.path, name);

/** One line for the operator, no stack, nothing on stdout. */
async function expectRefusal(
  env: Record<string, string>,
  status: number,
  message: string,
  wrap = (command: string[]) => command,
): Promise<void> {
  const result = await runCli(['serve'], { env: { DATABASE_URL: place('unused.db'), ...env }, wrap });
  expect(result).toEqual({ status, stdout: '', stderr: `petstore: ${message}\n` });
  expect(existsSync(place('unused.db'))).toBe(false);
}

describe('a bad setting', () => {
  it.each([
    [{ PORT: '65536' }, '--port (PORT) must be an integer from 0 to 65535, not "65536".'],
    [{ PORT: '8e3' }, '--port (PORT) must be an integer from 0 to 65535, not "8e3".'],
    [{ LOG_LEVEL: 'trace' }, '--log-level (LOG_LEVEL) must be one of error, warn, info, debug, not "trace".'],
    [{ ACCESS_LOG: 'yes' }, '--access-log (ACCESS_LOG) must be one of true, false, not "yes".'],
    ...['https://shop.example/', '*'].map((text): [Record<string, string>, string] => [
      { ALLOWED_ORIGINS: text },
      `--allowed-origins (ALLOWED_ORIGINS) must list origins such as https://shop.example, not "${text}".`,
    ]),
    ...['10.0.0.0/33', '10.0.0.0/', '/8', '10.0.0', '::/129', 'proxy.example', '10.0.0.1, x'].map(
      (text): [Record<string, string>, string] => [
        { TRUSTED_PROXIES: text },
        `--trusted-proxies (TRUSTED_PROXIES) must list addresses or networks such as 10.0.0.0/8, not "${text.split(', ').at(-1)}".`,
      ],
    ),
    [
      { API_KEYS: 'clé' },
      '--api-keys (API_KEYS) must be visible ASCII characters without spaces, separated by commas.',
    ],
    [{ TLS_CERT: certificate }, '--tls-cert (TLS_CERT) and --tls-key (TLS_KEY) must be set together.'],
  ])('is refused: %j', (env: Record<string, string>, message) => {
    expect(() => parseServeOptions([], env)).toThrow(message);
  });

  const namesNoFile = '--database-url (DATABASE_URL) must name a file, such as';
  it.each([
    [
      'mysql://localhost/pets',
      '--database-url (DATABASE_URL) must be a file path, a sqlite: or a postgres: address, not a mysql: address.',
    ],
    [':memory:', `${namesNoFile} data/petstore.db, not memory.`],
    ['sqlite:', `${namesNoFile} sqlite:data/petstore.db.`],
    ['sqlite://host/pets.db', `${namesNoFile} sqlite:data/petstore.db.`],
  ])('is refused as the address of a store: %s', (address, message) => {
    expect(() => storeAt(address)).toThrow(message);
  });

  it('stops the start with one line and status 2', () =>
    expectRefusal({ PORT: 'eighty' }, 2, '--port (PORT) must be an integer from 0 to 65535, not "eighty".'));
});

describe('a certificate', () => {
  const messageOf = (tlsCert: string, tlsKey: string) =>
    loadTls({ ...parseServeOptions([], {}), tlsCert, tlsKey }).then(
      () => undefined,
      (error: Error) => error.message,
    );

  it('is refused if it cannot be read', async () => {
    expect(await messageOf(certificate, '/absent.pem')).toBe(
      'The file /absent.pem of --tls-key cannot be read: no such file or directory. Check its path and permissions.',
    );
  });

  it('is refused if it is invalid or does not match its key', async () => {
    const [notPem, otherKey] = [place('not.pem'), place('other-key.pem')];
    writeFileSync(notPem, 'no certificate');
    writeFileSync(otherKey, await makePrivateKey());
    for (const [cert, key] of [
      [notPem, privateKey],
      [certificate, otherKey],
    ] as const)
      expect(await messageOf(cert, key)).toBe(
        `${cert} and ${key} are not a certificate and its private key in PEM form. Check both files.`,
      );
  });
});

describe('an address', () => {
  const listen = (host: string, port = 0) =>
    openListener({ options: { host, port }, tls: undefined, fetch: () => new Response() });

  it('stops the start before a store is made if its port is taken', async () => {
    await using service = await startService();
    const { port } = new URL(service.url);
    const advice = 'Stop the program that uses it, or choose another port with --port.';
    await expectRefusal({ PORT: port }, 1, `Port ${port} on 127.0.0.1 is taken. ${advice}`);
    expect((await service.call('/v1/pets')).status).toBe(200);
  });

  it('is not shared, even by a service that found it free', () => {
    const listener = listen('127.0.0.1');
    const port = listener.port ?? 0;
    expect(() => listen('127.0.0.1', port)).toThrow(`Port ${port} on 127.0.0.1 is taken.`);
    void listener.stop(true);
  });

  it('is refused if it is one of another machine', () => {
    // RFC 5737 keeps this network for documentation.
    expect(() => listen('192.0.2.1')).toThrow(
      'Cannot listen on 192.0.2.1, port 0: address not available. Choose others with --host and --port.',
    );
  });
});

describe('a store that cannot be written', () => {
  const refusal = (path: string, reason: string) =>
    `The store ${path} cannot be used: ${reason}. Run this as its owner, give this user rights to the folder and ` +
    'the file, or choose another file with --database-url.';

  it.each([
    ['is below a regular file', 'plain/data/petstore.db', 'not a directory'],
    ['has a folder that cannot be made', '/proc/x/petstore.db', 'no such file or directory'],
  ])('is refused if it %s', (_title, name, reason) => {
    writeFileSync(place('plain'), '');
    const path = isAbsolute(name) ? name : place(name);
    expect(() => openSqliteStore({ path })).toThrow(refusal(path, reason));
  });

  it('stops the start if its folder may not be used', async () => {
    mkdirSync(place('locked'), { mode: 0o500 });
    const path = place('locked/petstore.db');
    await expectRefusal({ DATABASE_URL: path }, 1, refusal(path, 'permission denied'), heldToRights);
  });

  it('stops the start if its file may not be used', async () => {
    const path = place('locked.db');
    await openSqliteStore({ path }).close();
    chmodSync(path, 0o400);
    await expectRefusal({ DATABASE_URL: path }, 1, refusal(path, 'permission denied'), heldToRights);
  });

  it('is refused if it is a folder', () => {
    expect(() => openSqliteStore({ path: folder.path })).toThrow(
      `${folder.path} is not a file. Name a file with --database-url.`,
    );
  });
});

describe('a file that is not a petstore store', () => {
  const cases: { name: string; make: (path: string) => void | Promise<void>; message: string }[] = [
    {
      name: 'no database',
      make: (path) => writeFileSync(path, 'Dear diary, today I wrote no database. '.repeat(50)),
      message: 'PATH is not a database. Choose another file with --database-url, or move this one away.',
    },
    {
      name: 'a database of another program',
      make(path) {
        using database = new Database(path, { create: true });
        database.run('CREATE TABLE bookmarks (url TEXT)');
      },
      message: 'PATH is a SQLite database of another program. Choose another file with --database-url.',
    },
    {
      name: 'a damaged database',
      async make(path) {
        const store = openSqliteStore({ path });
        const pet = createPet({ name: 'x'.repeat(255), categoryId: 1n });
        await Promise.all(Array.from({ length: 100 }, () => store.pets.apply(pet)));
        await store.close();
        const bytes = readFileSync(path);
        bytes.fill(0xa5, 4096, bytes.length - 4096);
        writeFileSync(path, bytes);
      },
      message: 'The database PATH is damaged. Put a backup in its place: petstore restore FILE --force',
    },
  ];

  it.each(cases)('$name is refused, and left as it is', async ({ make, message }) => {
    using own = makeFolder();
    await make(own.database);
    const before = readFileSync(own.database);
    expect(() => openSqliteStore({ path: own.database })).toThrow(message.replace('PATH', own.database));
    expect(readFileSync(own.database).equals(before)).toBe(true);
  });
});

describe('SQLite', () => {
  // Before 3.51.3, it can lose a commit if the log restarts while another connection writes.
  it('is new enough in the Bun that npm installs', () => {
    expect(Bun.semver.order(sqliteVersion(), '3.51.3')).not.toBe(-1);
  });
});

async function makePrivateKey(): Promise<string> {
  const { privateKey: made } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
  ]);
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', made));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END PRIVATE KEY-----\n`;
}
