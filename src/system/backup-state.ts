import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';

/** The newest good backup of a store. */
export interface LastBackup {
  /** When it was begun: everything acknowledged before is in it. ISO 8601, like every time here. */
  at: string;
  name: string;
  /** The folder or the s3: address that it was written to. */
  to: string;
  bytes: number;
  petCount: number;
  durationMs: number;
}

export interface LastFailedBackup {
  at: string;
  to: string;
  problem: string;
}

export interface LastRehearsal {
  at: string;
  /** The backup that was restored. */
  name: string;
  isSound: boolean;
  /** How long the restore took; absent when it failed. */
  restoreMs?: number;
  problem?: string;
}

/** What is known about the backups of a store. A part is absent until it happens for the first time. */
export interface BackupState {
  backup?: LastBackup;
  failedBackup?: LastFailedBackup;
  rehearsal?: LastRehearsal;
}

/** Each part has a file of its own beside the store, so that commands that run at the same time keep each other's. */
const suffixes = {
  backup: 'last-backup',
  failedBackup: 'last-failed-backup',
  rehearsal: 'last-rehearsal',
} as const satisfies Record<keyof BackupState, string>;

/** For the schedule of the service and for metrics. Reads three small files. */
export function readBackupState(storePath: string): BackupState {
  const parts = Object.keys(suffixes).map((part) => [part, readPart(storePath, part as keyof BackupState)]);
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined)) as BackupState;
}

export function recordBackupState<Part extends keyof BackupState>(
  storePath: string,
  part: Part,
  value: NonNullable<BackupState[Part]>,
): void {
  const path = fileOf(storePath, part);
  const partial = `${path}.${process.pid}.partial`;
  // The service may run as another user than the command.
  writeFileSync(partial, `${JSON.stringify(value)}\n`, { mode: 0o644 });
  renameSync(partial, path);
}

function readPart(storePath: string, part: keyof BackupState): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(storePath, part), 'utf8'));
    return typeof value === 'object' && value !== null && 'at' in value ? value : undefined;
  } catch {
    // Not there yet, or cut short by a crash of the machine: the next run writes it anew.
    return undefined;
  }
}

function fileOf(storePath: string, part: keyof BackupState): string {
  return `${withoutLinks(storePath)}.${suffixes[part]}.json`;
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
