import { describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/stores/issue-key.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { makeFolder, runCli, startService } from '../support/process/process.ts';

/** Runs a command in a shell that redirects it. */
const through =
  (script: string) =>
  (command: string[]): string[] => ['sh', '-c', script, 'sh', ...command];
const toFullDisk = through('exec "$@" > /dev/full');
/** Starts it once nothing can be written to the pipe any more. */
const toGoneReader = through(
  `{ trap '' PIPE; while printf x; do :; done 2> /dev/null; "$@"; echo "status $?" >&2; } | true`,
);

describe('a key that cannot be shown', () => {
  it('fails keys create', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    await openSqliteStore({ path: place.database }).close();
    const { status, stderr } = await runCli(args, { wrap: toFullDisk });
    expect(status).toBe(1);
    expect(stderr).toContain(
      'petstore: Key 1 was made, but it could not be shown: no space left on device. Revoke it: petstore keys revoke 1\n',
    );
    const gone = await runCli(args, { wrap: toGoneReader });
    expect(gone.stderr).toContain('Key 2 was made, but it could not be shown: broken pipe.');
    expect(gone.stderr).toEndWith('status 1\n');
  });

  it('leaves the old key as it was in keys create --like', async () => {
    using place = makeFolder();
    const store = openSqliteStore({ path: place.database });
    await issueKey(store.keys, { name: 'till', now: new Date() });
    const create = ['keys', 'create', '--like', '1', '--json', '--database-url', place.database];
    const { status, stderr } = await runCli(create, { wrap: toFullDisk });
    expect(status).toBe(1);
    expect(stderr).toContain('Key 2 was made, but it could not be shown: no space left on device.');
    expect((await store.keys.listKeys()).map(({ revokedAt }) => revokedAt)).toEqual([undefined, undefined]);
    await store.close();
  });

  it('does not end a first start', async () => {
    await using service = await startService({
      env: { API_KEYS: undefined },
      wrap: through('exec "$@" 2> /dev/full'),
    });
    await service.untilLogged(
      /The first API key could not be shown\. Create another: petstore keys create --name NAME/,
    );
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });
});

describe('a full disk', () => {
  it('does not end a service that logs to it', async () => {
    await using service = await startService({ env: { API_KEYS: undefined }, wrap: toFullDisk });
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toContain('petstore: Standard output cannot be written: no space left on device.');
  });
});
