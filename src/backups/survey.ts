/** The backups of a place, oldest first, without those that were made under a wrong clock. */
export interface Survey<Backup> {
  backups: Backup[];
  newest: Backup | undefined;
  /** Dated in the future: nobody knows how old they are. */
  fromFuture: Backup[];
}

/** The clocks of two machines may differ by this much. */
const clockSkewMs = 5 * 60_000;

/** Says which backups count. What is restored, rehearsed, kept and checked follows this alone. */
export function survey<Backup extends { createdAt: Date }>(
  all: readonly Backup[],
  now: Date,
): Survey<Backup> {
  const isPast = (time: Date): boolean => time.getTime() <= now.getTime() + clockSkewMs;
  const backups = all
    .filter(({ createdAt }) => isPast(createdAt))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return {
    backups,
    newest: backups.at(-1),
    fromFuture: all.filter(({ createdAt }) => !isPast(createdAt)),
  };
}
