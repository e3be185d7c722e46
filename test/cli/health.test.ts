import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/http/free-port.ts';
import { makeFolder, runCli, startService, type Service } from '../support/process/process.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { STOP_DELAY: '300' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const health = (env: Record<string, string | undefined>, ...args: string[]) =>
  runCli(['health', ...args], { env });

describe('petstore health', () => {
  it('finds the service by the variables that started it', async () => {
    const env = { HOST: '0.0.0.0', PORT: new URL(service.url).port };
    expect(await health(env)).toEqual({ status: 0, stdout: 'ready\n', stderr: '' });
  });

  it('asks at the port that it is given', async () => {
    const { port } = new URL(service.url);
    expect(await health({ PORT: '1' }, '--port', port)).toMatchObject({ status: 0 });
  });

  it('finds the service by a settings file, unless the environment says otherwise', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'settings');
    writeFileSync(file, `PORT=${new URL(service.url).port}\n`);
    expect(await health({ PORT: undefined }, '--env-file', file)).toMatchObject({ status: 0 });
    expect(await health({ PORT: '0' }, '--env-file', file)).toMatchObject({ status: 2 });
  });

  it('checks a service with TLS whose certificate it does not trust', async () => {
    const [cert = '', key = ''] = ['localhost.pem', 'localhost-key.pem'].map((name) =>
      join(import.meta.dir, '../fixtures', name),
    );
    const tls = ['--tls-cert', cert, '--tls-key', key];
    await using secure = await startService({ args: tls });
    const { port } = new URL(secure.url);
    expect(await health({ PORT: port, TLS_CERT: cert })).toMatchObject({ status: 0 });
    const examined = await runCli(['check', '--port', port, '--database-url', secure.database, ...tls]);
    expect(examined.stdout).toContain(`A service responds at ${secure.url}.`);
  });

  it('refuses a port that no service has, with status 2', async () => {
    expect(await health({ PORT: '0' })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'petstore: --port (PORT) must be an integer from 1 to 65535, not "0".\n',
    });
  });

  it('fails when nothing responds until the time is up', async () => {
    const port = String(await freePort());
    const startedAt = performance.now();
    expect(await health({ PORT: port }, '--wait', '1s')).toEqual({
      status: 1,
      stdout: '',
      stderr: `petstore: Nothing responds at http://127.0.0.1:${port}/readyz. Start the service, or check HOST and PORT.\n`,
    });
    expect(performance.now() - startedAt).toBeGreaterThan(1000);
  });

  it('waits for a service that is still starting', async () => {
    const port = String(await freePort());
    const waiting = health({ PORT: port }, '--wait', '60s');
    await using _ = await startService({ env: { PORT: port } });
    expect(await waiting).toEqual({ status: 0, stdout: 'ready\n', stderr: '' });
  });

  it('does not wait for a systemd process that has ended', async () => {
    const ended = Bun.spawn(['true']);
    await ended.exited;
    const env = { PORT: String(await freePort()), MAINPID: String(ended.pid) };
    expect(await health(env, '--wait', '100d')).toMatchObject({ status: 1 });
  });

  it('accepts a program that says nothing about writes', async () => {
    using other = Bun.serve({ port: 0, fetch: () => Response.json(null) });
    expect(await health({ PORT: String(other.port) })).toMatchObject({ status: 0, stdout: 'ready\n' });
  });

  it('fails when the service is about to stop', async () => {
    process.kill(service.pid, 'SIGTERM');
    await service.untilLogged(/"message":"stopping"/);
    expect(await health({ PORT: new URL(service.url).port })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('/readyz responds with 503. The log of the service says why.'),
    });
  });
});
