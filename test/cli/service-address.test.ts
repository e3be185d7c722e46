import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { addressOfSettings } from '../../src/cli/service/address.ts';
import { fixedKey, makeFolder, runCli, startService, type Service } from '../support/process/process.ts';

let service: Service;
let port: string;

beforeAll(async () => {
  service = await startService();
  port = new URL(service.url).port;
});

afterAll(() => service[Symbol.asyncDispose]());

const list = (env: Record<string, string>, ...args: string[]) =>
  runCli(['pets', 'list', ...args], { env: { PETSTORE_API_KEY: fixedKey, ...env } });

describe('petstore pets without an address', () => {
  it('finds the service by the variables that the service was started with', async () => {
    expect(await list({ PORT: port })).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
    expect(await list({ PORT: port, HOST: '0.0.0.0' })).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
  });

  it('finds it by a settings file, which the environment wins over', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'settings');
    writeFileSync(file, `PORT=${port}\n`);
    expect(await list({}, '--env-file', file)).toMatchObject({ status: 0, stdout: '[]\n' });
    expect(await list({ PORT: '0' }, '--env-file', file)).toMatchObject({ status: 2 });
  });

  it('prefers --url and PETSTORE_URL', async () => {
    expect(await list({ PORT: '0' }, '--url', service.url)).toMatchObject({ status: 0 });
    expect(await list({ PORT: '0', PETSTORE_URL: service.url })).toMatchObject({ status: 0 });
  });

  it('names the address that it tried', async () => {
    // This port was free a moment ago and is not given out again soon.
    const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    probe.stop(true);
    const { status, stderr } = await list({ PORT: String(probe.port) });
    expect(status).toBe(1);
    expect(stderr).toContain(`No service responds at http://127.0.0.1:${probe.port}.`);
  });

  it.each([
    [{ PORT: '0' }, 'PORT is "0", which does not tell the port of the service.'],
    [{ PORT: 'http' }, 'PORT is "http", which does not tell the port of the service.'],
    [{ HOST: 'shop.example' }, 'HOST is "shop.example", which is no address of this machine.'],
    [{ HOST: '192.0.2.1' }, 'HOST is "192.0.2.1", which is no address of this machine.'],
  ])('refuses %j, which says nothing about this machine', async (env, problem) => {
    expect(await list(env as Record<string, string>)).toEqual({
      status: 2,
      stdout: '',
      stderr: `petstore: ${problem} Name the address of the service with --url.\n`,
    });
  });

  it('refuses a password in an address', async () => {
    const { status, stderr } = await list({}, '--url', 'http://me:secret@127.0.0.1:1');
    expect(status).toBe(2);
    expect(stderr).toBe('petstore: --url (PETSTORE_URL) must not contain a user name or a password.\n');
  });
});

describe('addressOfSettings', () => {
  it.each([
    [{}, 'http://127.0.0.1:8080'],
    [{ HOST: '', PORT: '' }, 'http://127.0.0.1:8080'],
    [{ HOST: 'localhost', PORT: '3000' }, 'http://localhost:3000'],
    [{ HOST: '::' }, 'http://[::1]:8080'],
    [{ TLS_CERT: 'cert.pem' }, 'https://127.0.0.1:8080'],
  ])('finds %j at %s', (environment, address) => {
    expect(addressOfSettings(environment)).toBe(address);
  });

  it('accepts every IPv4 address of this machine', () => {
    for (const each of Object.values(networkInterfaces()).flat()) {
      if (each?.family !== 'IPv4') continue;
      expect(addressOfSettings({ HOST: each.address })).toBe(`http://${each.address}:8080`);
    }
  });
});
