import { randomBytes } from 'node:crypto';

/** A whole backup, as its manifest describes it. */
export interface Backup {
  /** The name of its file: `petstore-20261116T120000Z-4f3a9c.db`. */
  name: string;
  /** Everything that was acknowledged before is in it. */
  createdAt: Date;
  bytes: number;
  sha256: string;
  petCount: number;
  orderCount: number;
  keyCount: number;
  /** The last one; a file of its own beside the manifest. */
  rehearsal?: Rehearsal | undefined;
}

/** How a rehearsal of a restore went. */
export interface Rehearsal {
  at: Date;
  isSound: boolean;
  /** How long the restore took, if it was sound; otherwise, why not. */
  restoreMs?: number;
  problem?: string;
}

/** Names sort by time. The random end tells backups of the same second apart. */
export function nameBackup(now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `petstore-${time}-${randomBytes(3).toString('hex')}.db`;
}

export function isBackupName(name: string): boolean {
  return backupName.test(name);
}

/** The time in the name; undefined for files that are no backups. */
export function timeOfName(name: string): Date | undefined {
  const [, ...parts] = backupName.exec(name) ?? [];
  if (parts.length === 0) return undefined;
  const [year, month, day, hour, minute, second] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

const backupName = /^petstore-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}\.db$/;

export function manifestOf(name: string): string {
  return name.replace(/\.db$/, '.json');
}

export function rehearsalOf(name: string): string {
  return name.replace(/\.db$/, '.rehearsal.json');
}

export function renderManifest(backup: Backup): string {
  return `${JSON.stringify(backup, null, 2)}\n`;
}

/** Undefined for a text that is not a manifest of this backup. */
export function parseManifest(name: string, text: string): Backup | undefined {
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const backup = { ...read, createdAt: new Date(String(read['createdAt'])) } as Backup;
    const counts = [backup.bytes, backup.petCount, backup.orderCount, backup.keyCount];
    const isWhole =
      backup.name === name &&
      !Number.isNaN(backup.createdAt.getTime()) &&
      /^[0-9a-f]{64}$/.test(backup.sha256) &&
      counts.every((count) => Number.isSafeInteger(count) && count >= 0);
    return isWhole ? backup : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a text that does not describe a rehearsal. */
export function parseRehearsal(text: string): Rehearsal | undefined {
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const rehearsal = { ...read, at: new Date(String(read['at'])) } as Rehearsal;
    const isWhole = !Number.isNaN(rehearsal.at.getTime()) && typeof rehearsal.isSound === 'boolean';
    return isWhole ? rehearsal : undefined;
  } catch {
    return undefined;
  }
}
