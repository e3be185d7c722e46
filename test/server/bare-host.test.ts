import { describe, expect, it } from 'bun:test';
import { makeFolder, startService } from '../support/process/process.ts';
import { readPets, startLoad } from '../support/journal.ts';

/** Runs in a mount namespace of its own, whose `$$` is the service itself. */
const inNamespace =
  (script: string) =>
  (command: string[]): string[] => ['unshare', '-rm', 'sh', '-ec', `${script}\nexec "$@"`, 'sh', ...command];

const withoutIpv6 = inNamespace(`
  touch tcp
  mount --bind /proc/$$/net/tcp tcp
  mount -t tmpfs none /proc/$$/net
  touch /proc/$$/net/tcp
  mount --bind tcp /proc/$$/net/tcp`);
const withoutNetTables = inNamespace('mount -t tmpfs none /proc/$$/net');

/** A container may allow namespaces and still no mounts in them, so the mounts themselves are tried. */
function canHide(): boolean {
  if (process.platform !== 'linux') return false;
  using folder = makeFolder();
  return Bun.spawnSync(withoutIpv6(['true']), { cwd: folder.path, stdio: ['ignore', 'ignore', 'ignore'] })
    .success;
}

describe.skipIf(!canHide())('a Linux host', () => {
  it.each([
    ['without IPv6', withoutIpv6],
    ['without tables of sockets', withoutNetTables],
  ])('%s runs the service and stops it cleanly under load', async (_name, wrap) => {
    await using service = await startService({ wrap });
    const load = startLoad({ url: () => service.url, creators: 4, isPersistent: () => false });
    await load.untilAcknowledged(50);
    expect(await service.stop()).toBe(0);
    await load.stop();
    const stored = new Set(readPets(service.database).map(({ name }) => name));
    expect([...load.journal.acknowledged.keys()].filter((name) => !stored.has(name))).toEqual([]);
    expect(service.stdout).not.toContain('"level":"error"');
    expect(service.stderr).not.toContain('petstore:');
  });
});

describe('a first start', () => {
  it('serves although standard error is closed', async () => {
    const wrap = (command: string[]) => ['sh', '-c', 'exec "$@" 2>&-', 'sh', ...command];
    await using service = await startService({ wrap, env: { API_KEYS: undefined } });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stdout).not.toContain('crash');
  });
});
