import { describe, expect, it } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBackupState } from '../../src/system/backup-state.ts';
import { listBackups } from '../../src/backups/catalog.ts';
import { openPlace } from '../../src/backups/place.ts';
import { rehearse } from '../../src/backups/rehearse.ts';
import { noReport } from '../../src/domain/progress.ts';
import { addPet, outcomeOf } from '../support/http/calls.ts';
import { freePort } from '../support/http/free-port.ts';
import { childrenOf } from '../support/process/process-tree.ts';
import { endProcess, makeFolder, runCli, startService } from '../support/process/process.ts';
import { openS3Server } from '../support/s3-server.ts';

const every = (time: string, to: string) => ['--backup-to', to, '--backup-every', time];

describe('serve --backup-to', () => {
  it.each([1, 2])('backs up at the start and then regularly, with --workers %i', async (workers) => {
    using folder = makeFolder();
    const to = join(folder.path, 'backups');
    mkdirSync(to);
    await using service = await startService({ args: every('1s', to), workers });
    await service.untilLogged(/"message":"backup made"/);
    await addPet(service.call);
    const made = await service.untilLogged(/"message":"backup made","name":"([^"]+)",[^}]*"pets":1,/);
    expect(readBackupState(service.database).backup).toMatchObject({ to, petCount: 1 });
    expect(await service.stop()).toBe(0);
    const place = await openPlace(to, {});
    const backups = await listBackups(place);
    expect(backups.map(({ name }) => name >= made[1]!)).toContain(true);
    for (const backup of backups) expect(await rehearse(place, backup, noReport)).toBeGreaterThan(0);
  });

  it('waits when the last backup is younger than the interval', async () => {
    using folder = makeFolder();
    const to = join(folder.path, 'backups');
    mkdirSync(to);
    await runCli(['keys', 'create', '--name', 'till', '--database-url', folder.database]);
    expect(await runCli(['backup', to, '--database-url', folder.database])).toMatchObject({ status: 0 });
    const before = readdirSync(to);
    await using service = await startService({ args: every('1d', to), databaseUrl: folder.database });
    await Bun.sleep(300);
    expect(childrenOf(service.pid)).toEqual([]);
    await service.stop();
    expect(readdirSync(to)).toEqual(before);
  });

  it('waits for the interval after a backup that could not be recorded, and says why', async () => {
    using folder = makeFolder();
    const to = join(folder.path, 'backups');
    mkdirSync(to);
    mkdirSync(`${folder.database}.last-backup.json`);
    await using service = await startService({ args: every('1d', to), databaseUrl: folder.database });
    await service.untilLogged(/"message":"backup made"/);
    const [, reason] = await service.untilLogged(
      /"level":"warn","message":"The backup is good, but there was a problem\.","to":"[^"]+","reason":"([^"]+)"/,
    );
    expect(reason).toContain('This cannot be recorded beside');
    await Bun.sleep(300);
    expect(childrenOf(service.pid)).toEqual([]);
    await service.stop();
    expect(readdirSync(to)).toHaveLength(2);
  });

  it('goes on serving when the bucket cannot be reached, and backs up once it can', async () => {
    const port = await freePort();
    await using s3 = await openS3Server();
    const env = { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${port}` };
    await using service = await startService({ args: every('1s', 's3://shop/late'), env });
    const [, reason] = await service.untilLogged(
      /"level":"error","message":"The backup failed\. The service goes on\.","to":"s3:\/\/shop\/late","reason":"([^"]+)"/,
    );
    expect(reason).toContain('s3://shop/late cannot be used');
    expect(await outcomeOf(service.call('/v1/pets'))).toBe('200');
    expect(await outcomeOf(service.call('/readyz'))).toBe('200');
    expect(readBackupState(service.database)).toEqual({
      failedBackup: { at: expect.any(String), to: 's3://shop/late', problem: reason! },
    });
    using _ = forward(port, s3.port);
    await service.untilLogged(/"message":"backup made"/);
    await service.stop();
    expect(await listBackups(await openPlace('s3://shop/late', s3.env))).not.toEqual([]);
  });

  it('counts nothing as a backup in a bucket that is full', async () => {
    await using s3 = await openS3Server();
    using full = openFullFront(s3.port);
    const env = { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${full.port}` };
    await using service = await startService({ args: every('1s', 's3://shop/full'), env });
    await service.untilLogged(/"message":"The backup failed\. The service goes on\."/);
    expect(await outcomeOf(service.call('/v1/pets'))).toBe('200');
    await service.stop();
    expect(await listBackups(await openPlace('s3://shop/full', s3.env))).toEqual([]);
    expect(readdirSync(service.folder).filter((name) => name.includes('uploading-'))).toEqual([]);
  });

  it('says when a backup was killed, and makes the next one', async () => {
    using folder = makeFolder();
    await using service = await startService({ args: every('1s', folder.path) });
    const victims = new Set<number>();
    // One that has just ended is not killed.
    while (!service.stdout.includes('"reason":"It was ended by SIGKILL."')) {
      for (const child of childrenOf(service.pid)) {
        victims.add(child);
        endProcess(child);
      }
      await Bun.sleep(5);
    }
    expect(readBackupState(service.database).failedBackup?.problem).toBe('It was ended by SIGKILL.');
    await service.untilLogged(/"message":"backup made"/);
    await service.stop();
    const isLeft = (name: string) => [...victims].some((pid) => name.endsWith(`.${pid}.partial`));
    expect(readdirSync(folder.path).filter(isLeft)).toEqual([]);
  });

  it.each([
    [
      ['--backup-every', '0s'],
      '--backup-every (BACKUP_EVERY) must be a time from 1s to 7d, such as 15m, not "0s".',
    ],
    [
      ['--backup-every', 'daily'],
      '--backup-every (BACKUP_EVERY) must be a time from 1s to 7d, such as 15m, not "daily".',
    ],
    [['--backup-keep', '7x'], '"7x" does not say which backups to keep. '],
    [
      ['--backup-to', '/backups', '--database-url', 'postgres://127.0.0.1:1/none'],
      '--backup-to (BACKUP_TO) works with an embedded store only. Use the tools of the database server, such as pg_dump.',
    ],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stderr } = await runCli(['serve', ...args]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`petstore: ${message}`),
    });
  });
});

/** Makes a server reachable at another port. */
function forward(port: number, target: number): Disposable {
  return openFront(port, target, () => undefined);
}

/** In front of a bucket that takes no more objects. */
function openFullFront(target: number): Disposable & { port: number } {
  const full = '<Error><Code>QuotaExceeded</Code><Message>The bucket is full</Message></Error>';
  return openFront(0, target, ({ method }) =>
    method === 'PUT' || method === 'POST' ? new Response(full, { status: 403 }) : undefined,
  );
}

function openFront(port: number, target: number, refuse: (request: Request) => Response | undefined) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const refusal = refuse(request);
      if (refusal) return refusal;
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'PUT' ? await request.arrayBuffer() : null;
      const { method, headers } = request;
      return fetch(`http://127.0.0.1:${target}${pathname}${search}`, {
        method,
        headers,
        body,
        decompress: false,
      });
    },
  });
  return { port: server.port ?? port, [Symbol.dispose]: () => void server.stop(true) };
}
