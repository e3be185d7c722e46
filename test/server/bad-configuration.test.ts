import { afterAll, describe, expect, it } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeAt } from '../../src/stores/open.ts';
import { makeFolder } from '../support/process/process.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';
import { expectRefusedStart } from './refused-start.ts';

const certificate = join(import.meta.dir, '../fixtures/localhost.pem');
const privateKey = join(import.meta.dir, '../fixtures/localhost-key.pem');

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const place = (name: string): string => join(folder.path, name);

/** No store is made. */
async function expectRefusal(
  env: Record<string, string>,
  expected: { status: number; message: string },
): Promise<void> {
  using store = makeFolder();
  await expectRefusedStart({ DATABASE_URL: store.database, ...env }, expected);
  expect(readdirSync(store.path)).toEqual([]);
}

describe('a bad setting', () => {
  it.each([
    [{ PORT: '65536' }, '--port (PORT) must be an integer from 0 to 65535, not "65536".'],
    [{ PORT: '8e3' }, '--port (PORT) must be an integer from 0 to 65535, not "8e3".'],
    [{ LOG_LEVEL: 'trace' }, '--log-level (LOG_LEVEL) must be one of error, warn, info, debug, not "trace".'],
    [{ ACCESS_LOG: 'yes' }, '--access-log (ACCESS_LOG) must be one of true, false, not "yes".'],
    [
      { ALLOWED_ORIGINS: 'https://shop.example/' },
      '--allowed-origins (ALLOWED_ORIGINS) must list origins such as https://shop.example, not "https://shop.example/".',
    ],
    [
      { ALLOWED_ORIGINS: '*' },
      '--allowed-origins (ALLOWED_ORIGINS) must list origins such as https://shop.example, not "*".',
    ],
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

  it.each([
    [
      'mysql://localhost/pets',
      '--database-url (DATABASE_URL) must be a file path, a sqlite: or a postgres: address, not a mysql: address.',
    ],
    [':memory:', '--database-url (DATABASE_URL) must name a file, such as data/petstore.db, not memory.'],
    ['sqlite:', '--database-url (DATABASE_URL) must name a file, such as sqlite:data/petstore.db.'],
    [
      'sqlite://host/pets.db',
      '--database-url (DATABASE_URL) must name a file, such as sqlite:data/petstore.db.',
    ],
  ])('is refused as the address of a store: %s', (address, message) => {
    expect(() => storeAt(address)).toThrow(message);
  });

  it('stops the start with one line and status 2', async () => {
    const message = '--port (PORT) must be an integer from 0 to 65535, not "eighty".';
    await expectRefusal({ PORT: 'eighty' }, { status: 2, message });
  });
});

describe('a certificate', () => {
  it('stops the start if it cannot be read', async () => {
    const absent = place('absent.pem');
    await expectRefusal(
      { TLS_CERT: certificate, TLS_KEY: absent },
      {
        status: 1,
        message: `The file ${absent} of --tls-key cannot be read: no such file or directory. Check its path and permissions.`,
      },
    );
  });

  it('stops the start if it is invalid or does not match its key', async () => {
    const notPem = place('not.pem');
    writeFileSync(notPem, 'no certificate');
    const otherKey = place('other-key.pem');
    writeFileSync(otherKey, await makePrivateKey());
    for (const [cert, key] of [
      [notPem, privateKey],
      [certificate, otherKey],
    ] as const) {
      await expectRefusal(
        { TLS_CERT: cert, TLS_KEY: key },
        {
          status: 1,
          message: `${cert} and ${key} are not a certificate and its private key in PEM form. Check both files.`,
        },
      );
    }
  });
});

async function makePrivateKey(): Promise<string> {
  const { privateKey: made } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
  ]);
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', made));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END PRIVATE KEY-----\n`;
}
