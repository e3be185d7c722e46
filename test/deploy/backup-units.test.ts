import { expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readDeployFile } from './files.ts';
import { makeWorld } from '../support/process/backup-world.ts';
import { project } from '../support/process/package.ts';
import { openS3Server } from '../support/s3-server.ts';

/** What docs/operations.md adds to petstore.env for a bucket. */
const page = readFileSync(join(project, 'docs/operations.md'), 'utf8');
const [, added = ''] = /petstore\.env >\/dev\/null <<'EOF'\n(BACKUP_PLACE=.*?)^EOF$/ms.exec(page) ?? [];

it('the units back up to the bucket of the documentation, rehearse and check it', async () => {
  await using s3 = await openS3Server();
  using world = await makeWorld('a bucket', s3);
  const settings = parseEnv(added);
  expect(Object.keys(settings).toSorted()).toEqual(
    ['BACKUP_PLACE', 'S3_REGION', ...Object.keys(s3.env)].toSorted(),
  );
  const place = settings['BACKUP_PLACE']!.replace('shop-backups/petstore', world.place.slice('s3://'.length));
  for (const unit of ['backup', 'rehearse', 'backups-check']) {
    const text = readDeployFile(`systemd/petstore-${unit}.service`);
    expect(text).toMatch(/^Environment=BACKUP_PLACE=\/var\/lib\/petstore-backups\/\nEnvironmentFile=/m);
    const [, line = ''] = /^ExecStart=\S+ (.+)$/m.exec(text) ?? [];
    const args = line
      .replace('${BACKUP_PLACE}', place)
      .replace('/var/lib/prometheus/node-exporter', world.folder.path);
    const { status, stderr } = await world.run(...args.split(' '));
    expect(stderr).not.toContain('Error');
    expect(status, unit).toBe(0);
  }
  const textOf = (name: string) => readFileSync(join(world.folder.path, `petstore-${name}.prom`), 'utf8');
  expect(textOf('rehearsal')).toMatch(/^petstore_backup_rehearsed_timestamp_seconds [1-9]/m);
  expect(textOf('backups')).toMatch(/^petstore_backup_newest_timestamp_seconds [1-9]/m);
  expect(await world.files()).toHaveLength(1);
});
