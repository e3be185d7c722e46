import { describe, expect, it } from 'bun:test';
import { mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { listBackups, rehearse } from '../../src/stores/backups/backups.ts';
import { openPlace } from '../../src/stores/backups/places.ts';
import { noReport } from '../../src/system/progress.ts';
import { fillFile } from '../support/fill-file.ts';
import { addPet } from '../support/http/calls.ts';
import { startCli, startService } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import type { RunningProgram } from '../support/process/running.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder } = at;

const failed = /"level":"error","message":"The backup failed\.","to":"[^"]+","reason":"([^"]+)"/;

describe('petstore backup --every', () => {
  it('backs up beside a service until SIGTERM, and exits with 0', async () => {
    const to = inFolder('backups');
    mkdirSync(to);
    await using service = await startService();
    await using backups = startBackups({ database: service.database, to });
    await backups.stdout.untilMatch(/"message":"backup made"/);
    await addPet(service.call);
    const [, name = ''] = await backups.stdout.untilMatch(
      /"message":"backup made","name":"([^"]+)",[^}]*"pets":1,/,
    );
    expect(await backups.stop()).toBe(0);
    expect(backups.stdout.text).toEndWith('"message":"stopped","reason":"SIGTERM"}\n');
    const place = openPlace(to, {});
    const listed = await listBackups(place);
    expect(listed.map((each) => each.name)).toContain(name);
    expect(backups.stdout.text.match(/"message":"backup made"/g)).toHaveLength(listed.length);
    for (const each of listed) await rehearse(place, each.name, noReport);
  });

  it('thins out by --keep until SIGINT, and exits with 0', async () => {
    await fillFile(at.store, 3);
    const to = inFolder('backups');
    mkdirSync(to);
    await using backups = startBackups({ database: at.store, to, args: ['--keep', '1y'] });
    await backups.stdout.untilMatch(/"removed":1}/);
    expect(await backups.stop('SIGINT')).toBe(0);
    expect(backups.stdout.text).toEndWith('"message":"stopped","reason":"SIGINT"}\n');
    expect((await listBackups(openPlace(to, {}))).length).toBeLessThanOrEqual(2);
  });

  it('logs a failure and goes on when there is no store or no folder for a while', async () => {
    const to = inFolder('backups');
    mkdirSync(to);
    const database = at.store;
    await using backups = startBackups({ database, to });
    expect((await backups.stdout.untilMatch(failed))[1]).toContain('There is no store');
    await fillFile(database, 3);
    await backups.stdout.untilMatch(/"message":"backup made"/);
    renameSync(to, `${to}-away`);
    await backups.stdout.untilMatch(/no such file or directory/);
    renameSync(`${to}-away`, to);
    await backups.stdout.untilMatch(/no such file or directory[^]*"message":"backup made"/);
    expect(await backups.stop()).toBe(0);
  });

  it.each([
    [['.', '--every', '8d'], 2, 'is invalid. It must be from 1s to 7d.'],
    [['.', '--every', 'daily'], 2, 'is invalid. It must be a time such as 30m, 24h or 7d.'],
    [['.', '--every', '1h', '--database-url', 'postgres://127.0.0.1:1/none'], 1, 'pg_dump'],
    [['backup.db', '--every', '1h'], 1, 'There is no folder'],
  ])('refuses %j at once', async (args, status, message) => {
    expect(await refusalOf('backup', ...args)).toMatchObject({
      status,
      stderr: expect.stringContaining(message),
    });
  });
});

interface Options {
  database: string;
  to: string;
  /** More options of the command. */
  args?: string[];
  env?: Record<string, string>;
}

/** `petstore backup --every 1s`, until it is stopped or killed. */
function startBackups({ database, to, args = [], env = {} }: Options): RunningProgram {
  const command = ['backup', to, '--every', '1s', '--database-url', database, ...args];
  return startCli(command, { cwd: dirname(database), env });
}
