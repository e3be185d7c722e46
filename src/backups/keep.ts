import { usageError } from '../domain/error.ts';
import type { Rehearsal } from './manifest.ts';

/** The backups of a place, oldest first, without those made under a wrong clock. */
export interface Survey<Backup> {
  backups: Backup[];
  newest: Backup | undefined;
  /** The backup that was last rehearsed, successfully or not. */
  lastRehearsed: Backup | undefined;
  /** Backups with a future date, whose age is unknown. */
  fromFuture: Backup[];
}

/** What decides whether a backup counts. */
interface Dated {
  createdAt: Date;
  rehearsal?: Rehearsal | undefined;
}

/** How much the clocks of two machines may differ. */
const clockSkewMs = 5 * 60_000;

/** Decides which backups count. Restores, rehearsals, checks and the rules for keeping backups rely only on this. */
export function survey<Backup extends Dated>(all: readonly Backup[], now: Date): Survey<Backup> {
  const isPast = (time: Date): boolean => time.getTime() <= now.getTime() + clockSkewMs;
  const backups = all
    .filter(({ createdAt }) => isPast(createdAt))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const rehearsedAt = ({ rehearsal }: Backup): number => rehearsal?.at.getTime() ?? 0;
  return {
    backups,
    newest: backups.at(-1),
    lastRehearsed: backups
      .filter(({ rehearsal }) => rehearsal && isPast(rehearsal.at))
      .toSorted((one, other) => rehearsedAt(one) - rehearsedAt(other))
      .at(-1),
    fromFuture: all.filter(({ createdAt }) => !isPast(createdAt)),
  };
}

/** Keeps the newest backup of each of the last `count` hours, days, weeks, months or years that have one. */
export interface KeepRule {
  unit: Unit;
  count: number;
}

type Unit = 'h' | 'd' | 'w' | 'm' | 'y';

/** `24h,7d,4w,12m`. */
export function parseKeep(text: string): KeepRule[] {
  return text.split(',').map((part) => {
    const [, count, unit] = /^([1-9]\d{0,3})([hdwmy])$/.exec(part.trim()) ?? [];
    if (unit !== undefined) return { unit: unit as Unit, count: Number(count) };
    throw usageError(
      `--keep must be a rule such as 24h,7d,4w,12m, not "${text}".`,
      'This one keeps a backup for each of the last 24 hours, 7 days, 4 weeks and 12 months.',
    );
  });
}

/**
 * The backups that no rule keeps. Periods without a backup do not count, so nothing is lost while backups are off. The
 * newest one stays, and so does the last one that was rehearsed. One from the future, made under a wrong clock, is
 * neither removed nor counted.
 */
export function findSurplus<Backup extends Dated>(
  backups: readonly Backup[],
  rules: readonly KeepRule[],
  now: Date,
): Backup[] {
  const { newest, lastRehearsed, backups: oldestFirst } = survey(backups, now);
  const past = oldestFirst.toReversed();
  const kept = new Set([newest, lastRehearsed]);
  for (const { unit, count } of rules) {
    const newestOf = new Map<string, Backup>();
    for (const backup of past) {
      const period = periodOf[unit](backup.createdAt);
      if (!newestOf.has(period)) newestOf.set(period, backup);
    }
    for (const backup of [...newestOf.values()].slice(0, count)) kept.add(backup);
  }
  return past.filter((backup) => !kept.has(backup));
}

const dayMs = 86_400_000;

/** All in UTC; a week begins on Monday. */
const periodOf: Record<Unit, (time: Date) => string> = {
  h: (time) => time.toISOString().slice(0, 13),
  d: (time) => time.toISOString().slice(0, 10),
  // The first day of 1970 was a Thursday.
  w: (time) => String(Math.floor((time.getTime() / dayMs + 3) / 7)),
  m: (time) => time.toISOString().slice(0, 7),
  y: (time) => time.toISOString().slice(0, 4),
};
