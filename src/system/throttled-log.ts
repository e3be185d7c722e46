import type { LogFields } from './log.ts';

/** Beyond this, the other kinds are counted together, so that an attack from many addresses does not fill the memory. */
const maxKinds = 1000;

/** Logs the first event of a kind at once, and later ones at intervals as a count with the last one's fields. */
export function createThrottledLog(
  write: (kind: string, count: number, fields: LogFields) => void,
  everyMs: number,
): (kind: string, fields?: LogFields) => void {
  const counts = new Map<string, { count: number; fields: LogFields }>();

  const report = (kind: string): void => {
    const { count = 0, fields = {} } = counts.get(kind) ?? {};
    if (count === 0) return void counts.delete(kind);
    counts.set(kind, { count: 0, fields: {} });
    write(kind, count, fields);
    setTimeout(() => report(kind), everyMs).unref();
  };

  return (name, fields = {}) => {
    const kind = counts.has(name) || counts.size < maxKinds ? name : 'others';
    const before = counts.get(kind);
    counts.set(kind, { count: (before?.count ?? 0) + 1, fields });
    if (!before) report(kind);
  };
}
