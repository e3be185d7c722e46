import type { Rehearsal } from './manifest.ts';

/** The backups of a place, oldest first, without those that were made under a wrong clock. */
export interface Survey<Backup> {
  backups: Backup[];
  newest: Backup | undefined;
  /** The one that was rehearsed last, with success or not. */
  lastRehearsed: Backup | undefined;
  /** Dated in the future: nobody knows how old they are. */
  fromFuture: Backup[];
}

/** What decides whether a backup counts. */
export interface Dated {
  createdAt: Date;
  rehearsal?: Rehearsal | undefined;
}

/** The clocks of two machines may differ by this much. */
const clockSkewMs = 5 * 60_000;

/** Says which backups count. What is restored, rehearsed, kept and checked follows this alone. */
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
