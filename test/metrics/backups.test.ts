import { expect, it } from 'bun:test';
import { addBackupMetrics } from '../../src/metrics/backups.ts';
import { createRegistry } from '../../src/metrics/registry.ts';
import { renderMetrics } from '../../src/metrics/render.ts';

it('reports the age of the newest good backup, infinite without one', async () => {
  const registry = createRegistry();
  let lastGoodAt: number | undefined;
  addBackupMetrics(registry, { lastGoodAt: () => lastGoodAt }, () => 100_000);
  expect(renderMetrics(await registry.collect())).toContain('\npetstore_backup_age_seconds +Inf\n');
  lastGoodAt = 40_000;
  expect(renderMetrics(await registry.collect())).toContain('\npetstore_backup_age_seconds 60\n');
});
