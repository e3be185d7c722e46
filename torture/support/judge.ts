import { readPets, type Journal } from '../../test/support/journal.ts';
import type { Figures } from './torture-test.ts';

export interface Row {
  id: string;
  name: string;
}

export interface Judgement {
  /** What a file that cannot be read says. */
  damage: string[];
  attempted: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  unexpected: number;
}

export const nothingYet: Judgement = {
  ...{ damage: [], attempted: 0, acknowledged: 0 },
  ...{ lost: 0, doubled: 0, unexpected: 0 },
};

/** Compares everything that a store holds with what the clients know. */
export function judge(
  rows: readonly Row[],
  journal: Journal,
  acknowledged = journal.acknowledged,
): Judgement {
  const idsOfName = Map.groupBy(rows, ({ name }) => name);
  const isThere = ([name, id]: [string, string]) =>
    idsOfName.get(name)?.some((row) => row.id === id) ?? false;
  return {
    damage: [],
    attempted: journal.attempted.size,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((entry) => !isThere(entry)).length,
    doubled: [...idsOfName.values()].filter((found) => found.length > 1).length,
    unexpected: [...idsOfName.keys()].filter((name) => !journal.attempted.has(name)).length,
  };
}

/** The same for a SQLite file, whose damage is a fault of its own. */
export function judgeFile(path: string, journal: Journal, acknowledged = journal.acknowledged): Judgement {
  try {
    return judge(readPets(path), journal, acknowledged);
  } catch (error) {
    return { ...judge([], journal, acknowledged), damage: [`The file is damaged: ${firstLine(error)}`] };
  }
}

export function add(a: Judgement, b: Judgement): Judgement {
  return {
    damage: [...a.damage, ...b.damage],
    attempted: a.attempted + b.attempted,
    acknowledged: a.acknowledged + b.acknowledged,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    unexpected: a.unexpected + b.unexpected,
  };
}

export function faultsOf({ damage, lost, doubled, unexpected }: Judgement): string[] {
  const wrong = Object.entries({ lost, doubled, unexpected }).filter(([, count]) => count > 0);
  return [...damage, ...wrong.map(([kind, count]) => `${count} pets ${kind}`)];
}

export function figuresOf({ damage, ...counts }: Judgement): Figures {
  return { ...counts, ...(damage.length > 0 && { 'damaged files': damage.length }) };
}

export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? '';
}
