import { usageError } from '../../domain/error.ts';

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
 * The backups that no rule keeps; `backups` begins with the oldest. Periods without a backup do not count, so nothing is
 * lost while backups are off. The newest one stays.
 */
export function findSurplus<Backup extends { createdAt: Date }>(
  backups: readonly Backup[],
  rules: readonly KeepRule[],
): Backup[] {
  const newestFirst = backups.toReversed();
  const kept = new Set([newestFirst[0]]);
  for (const { unit, count } of rules) {
    const newestOf = new Map<string, Backup>();
    for (const backup of newestFirst) {
      const period = periodOf[unit](backup.createdAt);
      if (!newestOf.has(period)) newestOf.set(period, backup);
    }
    for (const backup of [...newestOf.values()].slice(0, count)) kept.add(backup);
  }
  return newestFirst.filter((backup) => !kept.has(backup));
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
