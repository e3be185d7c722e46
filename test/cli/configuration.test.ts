import { describe, expect, it } from 'bun:test';
import { settings } from '../../src/cli/settings.ts';
import { makeFolder, runCli, startService } from '../support/process/process.ts';

/** `docs/decisions.md`, "Other" and "Credentials": how the service is configured and how keys are issued. */

describe('the configuration', () => {
  it('has a flag and a default for each variable', async () => {
    const { stdout } = await runCli(['serve', '--help']);
    expect(settings).toMatchObject({
      host: { long: '--host', variable: 'HOST', fallback: '127.0.0.1' },
      port: { long: '--port', variable: 'PORT', fallback: '8080' },
      databaseUrl: { long: '--database-url', variable: 'DATABASE_URL', fallback: 'data/petstore.db' },
      apiKeys: { long: '--api-keys', variable: 'API_KEYS', fallback: '' },
      logLevel: { long: '--log-level', variable: 'LOG_LEVEL' },
    });
    for (const { long, variable } of Object.values(settings)) {
      expect(stdout).toContain(long!);
      expect(stdout).toContain(variable);
    }
  });

  it('refuses a bad value with one line and exit status 2', async () => {
    const { status, stderr } = await runCli(['serve'], { env: { PORT: 'eighty' } });
    expect(status).toBe(2);
    expect(stderr).toBe('petstore: --port (PORT) must be an integer from 0 to 65535, not "eighty".\n');
  });

  it('takes a file path, a sqlite: address or a postgres:// address as DATABASE_URL', async () => {
    using folder = makeFolder();
    for (const place of [folder.database, `sqlite:${folder.database}`, `sqlite://${folder.database}`]) {
      expect(await runCli(['migrate', '--database-url', place])).toMatchObject({ status: 0 });
    }
    expect(await runCli(['migrate', '--database-url', 'mysql://somewhere'])).toMatchObject({ status: 2 });
  });
});

describe('API keys', () => {
  it('begin with one that the first start on an empty store prints once, with a curl command', async () => {
    using folder = makeFolder();
    for (const times of [1, 0]) {
      await using service = await startService({
        databaseUrl: folder.database,
        env: { API_KEYS: undefined },
      });
      expect(await service.stop()).toBe(0);
      expect(service.stderr.match(/^ {2}pets_[0-9A-Za-z]{36}$/gm) ?? []).toHaveLength(times);
      expect(service.stderr.includes('curl -H')).toBe(times === 1);
    }
  });

  it('include those of API_KEYS, in any form', async () => {
    await using service = await startService({ env: { API_KEYS: 'one,pets_two' } });
    for (const key of ['one', 'pets_two']) expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
    expect((await service.callWith('three', '/v1/pets')).status).toBe(401);
  });
});
