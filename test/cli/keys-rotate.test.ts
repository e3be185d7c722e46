import { describe, expect, it } from 'bun:test';
import type { KeyJson } from '../../src/cli/keys.ts';
import { runCli, startService, type CliResult } from '../support/process/process.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();

const hourMs = 3_600_000;

function keysOf(database: string) {
  const run = (...args: string[]): Promise<CliResult> =>
    runCli(['keys', ...args], { env: { DATABASE_URL: database } });
  const json = async <Shown = KeyJson>(...args: string[]): Promise<Shown> => {
    const { status, stdout } = await run(...args, '--json');
    expect(status).toBe(0);
    return JSON.parse(stdout) as Shown;
  };
  return { run, json, list: () => json<KeyJson[]>('list') };
}

describe('petstore keys rotate', () => {
  it('makes a key with the same name and rights, shows it once and lets the old one expire', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'window', '--read-only');
    const before = Date.now();
    const { status, stdout } = await keys.run('rotate', '1', '--overlap', '2h');
    const [old, made] = await keys.list();
    expect(status).toBe(0);
    expect(stdout.match(/pets_[0-9A-Za-z]{36}/g)).toHaveLength(1);
    expect(stdout).toContain(`Key 2 (window) of ${at.store}, read-only. It is shown only this once:`);
    expect(stdout).toEndWith(`Key 1 (${old?.key}) expires at ${old?.expiresAt}.\n`);
    expect(Date.parse(old?.expiresAt ?? '')).toBeWithin(before + 2 * hourMs, Date.now() + 2 * hourMs + 1);
    expect(old).toMatchObject({ state: 'active', replacedBy: '2' });
    expect(made).toMatchObject({ name: 'window', readOnly: true, expiresAt: null, replacedBy: null });
    expect((await keys.run('list')).stdout).toContain('active, replaced by 2');
  });

  it('takes a name, and keeps that a key may not delete', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'till', '--no-delete');
    const { stdout } = await keys.run('rotate', 'till', '--overlap', '0m');
    expect(stdout).toContain(`Key 2 (till) of ${at.store}, without deletes. It is shown only this once:`);
    // The first has expired, so the name is that of one usable key again.
    expect(await keys.json('rotate', 'till')).toMatchObject({ id: '3', readOnly: false, mayDelete: false });
    expect((await keys.run('rotate', 'till')).stderr).toBe(
      'petstore: Several keys have the name "till": 2, 3. Give the id of one of them.\n',
    );
  });

  it('keeps both keys valid for a day, or refuses the old one at once with an overlap of 0', async () => {
    await using service = await startService({ workers: 2 });
    const keys = keysOf(service.database);
    const old = await keys.json('create', '--name', 'till');
    const made = await keys.json<KeyJson & { replaces: KeyJson }>('rotate', old.id);
    expect(made.replaces).toMatchObject({ id: old.id, replacedBy: made.id });
    const overlapMs = Date.parse(made.replaces.expiresAt ?? '') - Date.parse(made.createdAt);
    expect(overlapMs).toBe(24 * hourMs);
    for (const key of [old.key, made.key]) expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
    const next = await keys.json('rotate', made.id, '--overlap', '0m');
    expect((await service.callWith(made.key, '/v1/pets')).status).toBe(401);
    expect((await service.callWith(next.key, '/v1/pets')).status).toBe(200);
  });

  it('refuses a second rotation, an unknown key or a revoked one, and says what to do', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'till');
    await keys.json('rotate', '1');
    const before = await keys.list();
    expect(await keys.run('rotate', '1')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'petstore: Key 1 was rotated before: key 2 takes its place. ' +
        'If that key was lost, create another: petstore keys create --name NAME\n',
    });
    expect(await keys.list()).toEqual(before);
    await keys.json('revoke', '2');
    const stderrOf = async (...args: string[]) => (await keys.run('rotate', ...args)).stderr;
    expect(await stderrOf('7')).toBe(
      'petstore: No key has the id or the name "7". See: petstore keys list\n',
    );
    expect(await stderrOf('2')).toBe(
      'petstore: Key 2 is revoked and cannot be rotated. Create another: petstore keys create --name NAME\n',
    );
    expect(await stderrOf('1', '--overlap', 'soon')).toBe(
      "petstore: Option '--overlap <time>' argument 'soon' is invalid. It must be a time such as 30m, 24h or 7d. See: petstore keys rotate --help\n",
    );
  });

  it('gives the new key the lifetime of the old one, or the one that is asked for', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'till', '--expires', '90d');
    const second = await keys.json('rotate', '1', '--overlap', '365d');
    expect(Date.parse(second.expiresAt ?? '') - Date.parse(second.createdAt)).toBe(90 * 24 * hourMs);
    const third = await keys.json('rotate', '2', '--expires', '3d');
    expect(Date.parse(third.expiresAt ?? '') - Date.parse(third.createdAt)).toBe(3 * 24 * hourMs);
    // The overlap does not make a key live longer than it was meant to.
    const [first] = await keys.list();
    expect(Date.parse(first?.expiresAt ?? '') - Date.parse(first?.createdAt ?? '')).toBe(90 * 24 * hourMs);
  });
});
