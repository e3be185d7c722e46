import { describe, expect, it } from 'bun:test';
import type { BackupState } from '../../src/system/backup-state.ts';
import { addBackupMetrics } from '../../src/metrics/backups.ts';
import { createRegistry } from '../../src/metrics/registry.ts';
import { renderMetrics } from '../../src/metrics/render.ts';

const at = new Date(40_000).toISOString();
const backup = { at, name: 'a', to: '/backups', bytes: 1, petCount: 1, durationMs: 1 };

async function linesOf(state: BackupState): Promise<string[]> {
  const registry = createRegistry();
  addBackupMetrics(
    registry,
    () => state,
    () => 100_000,
  );
  const text = renderMetrics(await registry.collect());
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the metrics of backups', () => {
  it('report an infinite age while there is neither a backup nor a rehearsal', async () => {
    const lines = ['petstore_backup_age_seconds +Inf', 'petstore_backup_rehearsal_age_seconds +Inf'];
    expect(await linesOf({})).toEqual(lines);
    expect(await linesOf({ backup: { ...backup, at: 'yesterday' } })).toEqual(lines);
  });

  it('report a sound rehearsal and how long its restore took', async () => {
    const rehearsal = { at, name: 'a', isSound: true, restoreMs: 1500 };
    expect(await linesOf({ backup, rehearsal })).toEqual([
      'petstore_backup_age_seconds 60',
      'petstore_backup_rehearsal_age_seconds 60',
      'petstore_backup_rehearsal_sound 1',
      'petstore_backup_rehearsal_duration_seconds 1.5',
    ]);
  });

  it('report a rehearsal that failed', async () => {
    const rehearsal = { at, name: 'a', isSound: false, problem: 'damaged' };
    expect(await linesOf({ backup, rehearsal })).toContain('petstore_backup_rehearsal_sound 0');
  });
});
