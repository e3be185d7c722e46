import { randomBytes } from 'node:crypto';
import type { StoreContent } from '../sqlite/schema/check-rows.ts';

/** A complete backup, as its manifest describes it. */
export interface Backup extends StoreContent {
  /** The name of its file: `petstore-20261116T120000Z-4f3a9c.db`. */
  name: string;
  /** The backup contains everything that was acknowledged before this time. */
  createdAt: Date;
  bytes: number;
  sha256: string;
  /** The last rehearsal; it has its own file beside the manifest. */
  rehearsal?: Rehearsal | undefined;
}

/** The result of rehearsing a restore. */
export interface Rehearsal {
  at: Date;
  isSound: boolean;
  /** How long the restore took if it succeeded; otherwise `problem` says why not. */
  restoreMs?: number;
  problem?: string;
}

/** Names sort by time. The random suffix distinguishes backups made within one second. */
export function nameBackup(now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `petstore-${time}-${randomBytes(3).toString('hex')}.db`;
}

/** The time in the name; undefined for files that are not backups. */
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

/** Undefined if the text is not this backup's manifest. */
export function parseManifest(name: string, text: string): Backup | undefined {
  const backup = parseWithTime<Backup>(text, 'createdAt');
  const counts = [backup?.bytes, backup?.petCount, backup?.orderCount, backup?.keyCount];
  return backup?.name === name && counts.every(Number.isSafeInteger) ? backup : undefined;
}

/** Undefined if the text does not describe a rehearsal. */
export function parseRehearsal(text: string): Rehearsal | undefined {
  const rehearsal = parseWithTime<Rehearsal>(text, 'at');
  return typeof rehearsal?.isSound === 'boolean' ? rehearsal : undefined;
}

/** Checks only the time; the caller checks the rest. */
function parseWithTime<Read>(text: string, field: keyof Read & string): Read | undefined {
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const time = new Date(String(read[field]));
    return Number.isNaN(time.getTime()) ? undefined : ({ ...read, [field]: time } as Read);
  } catch {
    return undefined;
  }
}
