import { describe, expect, it } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isWellFormedKey } from '../../src/domain/api-key.ts';
import { renderEnvExample, settings } from '../../src/cli/settings.ts';
import { addressOf } from '../../src/server/listener.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { metricsUrl, scrape } from '../support/metrics/scrape.ts';
import {
  cleanEnvironment,
  makeFolder,
  petstoreCommand,
  runCli,
  startService,
} from '../support/process/process.ts';

/** Signed by itself for localhost and 127.0.0.1, valid until 2126. */
const certificate = join(import.meta.dir, '../fixtures/localhost.pem');
const privateKey = join(import.meta.dir, '../fixtures/localhost-key.pem');
const keyText = /pets_[0-9A-Za-z]{36}/g;

describe('the first start on a new store', () => {
  it('creates no key that nobody sees, whenever it is stopped', async () => {
    for (let delayMs = 0; delayMs <= 600; delayMs += 200) {
      using place = makeFolder();
      const child = Bun.spawn(petstoreCommand(['serve']), {
        cwd: place.path,
        env: cleanEnvironment({ DATABASE_URL: place.database, STOP_DELAY: '0' }),
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 300_000,
      });
      await Bun.sleep(delayMs);
      child.kill('SIGTERM');
      const [told] = await Promise.all([child.stderr.text(), child.stdout.text(), child.exited]);
      if (!existsSync(place.database)) continue;
      expect(await keysIn(place.database)).toHaveLength(new Set(told.match(keyText)).size);
    }
  });

  it('shows one key once, with addresses and curl lines that work as they are', async () => {
    using place = makeFolder();
    const env = { API_KEYS: undefined };
    await using first = await startService({ databaseUrl: place.database, env });
    const curlLines = await linesOf(first, /^ {2}curl .*$/gm, 2);
    const [key = '', ...others] = new Set(first.stderr.match(keyText));
    expect(isWellFormedKey(key)).toBe(true);
    expect(others).toEqual([]);
    if (Bun.which('curl') !== null) {
      const [list = '', create = ''] = curlLines;
      expect(await shell(list)).toBe('[]');
      expect(await shell(create)).toBe('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
      expect(await shell(list)).toBe('[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]');
    }
    expect((await first.callWith(key, '/v1/pets')).status).toBe(200);
    for (const path of ['', '/docs']) {
      expect(first.stderr).toContain(`\n  ${first.url}${path}\n`);
      expect((await fetch(`${first.url}${path}`)).status).toBe(200);
    }
    expect(await first.stop()).toBe(0);
    expect(first.stdout).not.toContain(key);

    await using second = await startService({ databaseUrl: place.database, env });
    expect((await second.callWith(key, '/v1/pets')).status).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(second.stderr).toBe('');
    expect(second.stdout.match(keyText)).toBeNull();
  });

  it.each([
    [[], true],
    [['--stable-only'], false],
  ])(
    'logs where console and docs are, and creates no key if API_KEYS is set (%j)',
    async (args, hasConsole) => {
      await using service = await startService({ args });
      const line = JSON.parse(/^.*"ready".*$/m.exec(service.stdout)?.[0] ?? '') as Record<string, unknown>;
      expect(line).toMatchObject({ message: 'ready', address: service.url, docs: `${service.url}/docs` });
      expect(line['console']).toBe(hasConsole ? service.url : undefined);
      for (const url of [line['docs'], line['console'] ?? service.url]) {
        expect((await fetch(String(url))).headers.get('Content-Type')).toStartWith('text/html');
      }
      expect(await service.stop()).toBe(0);
      expect(service.stderr).toBe('');
      expect(await keysIn(service.database)).toEqual([]);
    },
  );

  it.each(['0.0.0.0', '::'])('shows an address that other machines can use instead of %s', (host) => {
    const { hostname: name, port } = new URL(addressOf({ host, tlsCert: undefined }, 8080));
    const outward = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal }) => !internal);
    expect([...outward.map(({ address }) => address), hostname()]).toContain(name);
    expect(port).toBe('8080');
  });
});

describe('configuration', () => {
  it('prefers every flag over its variable', async () => {
    using place = makeFolder();
    // Each variable alone would keep the service from starting, or from being found.
    await using service = await startService({
      env: {
        HOST: 'nowhere.invalid',
        PORT: 'none',
        DATABASE_URL: 'gopher://nowhere',
        API_KEYS: 'no key',
        LOG_LEVEL: 'none',
        ACCESS_LOG: 'none',
        ALLOWED_ORIGINS: 'none',
        TRUSTED_PROXIES: 'none',
        TLS_CERT: '/nowhere',
        TLS_KEY: '/nowhere',
        RATE_LIMIT: 'none',
        STOP_DELAY: 'none',
        STABLE_ONLY: 'none',
        METRICS_PORT: 'none',
        METRICS_HOST: 'none',
        PUBLIC_URL: 'none',
        STAGING_URL: 'none',
      } satisfies Record<(typeof settings)[keyof typeof settings]['variable'], string>,
      args: [
        ...['--host', 'localhost', '--port', '0', '--database-url', place.database, '--api-keys', 'flag-key'],
        ...['--log-level', 'info', '--access-log'],
        ...['--allowed-origins', 'https://shop.example', '--trusted-proxies', '127.0.0.1'],
        ...['--tls-cert', certificate, '--tls-key', privateKey, '--rate-limit', '600'],
        ...['--stop-delay', '0', '--stable-only', '--public-url', 'https://pets.example/v1'],
        ...['--metrics-port', '0', '--metrics-host', 'localhost'],
        ...['--staging-url', 'https://staging.pets.example/v1'],
      ],
    });
    expect(service.url).toStartWith('https://localhost:');
    await service.untilLogged(/"message":"metrics","address":"http:\/\/localhost:/);
    const trust = trusting(await Bun.file(certificate).text());
    const response = await service.callWith('flag-key', '/v1/pets', {
      headers: { Origin: 'https://shop.example' },
      ...trust,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://shop.example');
    const document = await service.callWith('flag-key', '/openapi.json', trust);
    expect(await document.json()).toMatchObject({
      servers: [{ url: 'https://pets.example/v1' }, { url: 'https://staging.pets.example/v1' }],
    });
    await service.untilLogged(/"message":"request"/);
    expect(existsSync(place.database)).toBe(true);
  });

  it('is the same in the help and in .env.example', async () => {
    const example = await Bun.file(join(import.meta.dir, '../../.env.example')).text();
    // If not: bun scripts/env-example.ts
    expect(example).toBe(renderEnvExample());
    const names = Object.keys(settings);
    // Copied as it is, the file changes nothing.
    expect(example.match(/^[^#\n]/gm)).toBeNull();

    const { stdout } = await runCli(['serve', '--help']);
    const [, text = ''] = /\nOptions:\n([^]*?)\n  -h, --help/.exec(stdout) ?? [];
    const options = text.split(/\n(?=  -)/).map((option) => option.replaceAll(/\s+/g, ' '));
    expect(options).toHaveLength(names.length);
    for (const [index, { long, variable, fallback }] of Object.values(settings).entries()) {
      expect(options[index]).toStartWith(` ${long} `);
      expect(options[index]).toEndWith(
        `${fallback === '' ? '(' : `default: ${fallback}, `}env: ${variable})`,
      );
    }
  });
});

describe('TLS', () => {
  it('serves HTTPS, and asks browsers to stay with it', async () => {
    const args = ['--tls-cert', certificate, '--tls-key', privateKey, '--metrics-port', '0'];
    await using service = await startService({ args });
    expect(service.url).toStartWith('https://127.0.0.1:');
    const ca = await Bun.file(certificate).text();
    const response = await service.call('/v1/pets', trusting(ca));
    expect(response.status).toBe(200);
    expect(response.headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    const untrusting = await service.call('/v1/pets').catch(String);
    expect(untrusting).toMatch(/self.signed/i);
    const expiresAt = new X509Certificate(ca).validToDate.getTime() / 1000;
    const metrics = await scrape(await metricsUrl(service));
    expect(metrics.value('petstore_tls_certificate_expiry_timestamp_seconds')).toBe(expiresAt);
    expect(await service.stop()).toBe(0);
  });
});

/** The standard type of `fetch` options does not know this one. */
function trusting(ca: string): RequestInit {
  return { tls: { ca } } as RequestInit;
}

async function keysIn(path: string): Promise<unknown[]> {
  const store = openSqliteStore({ path });
  try {
    return await store.keys.listKeys();
  } finally {
    await store.close();
  }
}

interface Output {
  readonly stderr: string;
}

/** The matches in a service's standard error, once they are all there. */
async function linesOf(service: Output, pattern: RegExp, count: number): Promise<string[]> {
  for (;;) {
    const matches = service.stderr.match(pattern) ?? [];
    if (matches.length >= count && service.stderr.endsWith('\n\n')) return matches;
    await Bun.sleep(5);
  }
}

async function shell(command: string): Promise<string> {
  const child = Bun.spawn(['sh', '-c', command], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const [text, status] = await Promise.all([child.stdout.text(), child.exited]);
  expect(status).toBe(0);
  return text;
}
