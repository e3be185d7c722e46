import type { AppliedBy, Change, Outcome, Refusal, TimedChange } from '../domain/change.ts';
import type { MaybePromise } from '../system/maybe-promise.ts';
import type { PetStore, Sort } from './store.ts';

export type Value = string | number | bigint | boolean | null;

/**
 * SQL that both engines understand. Its values are the rows of a relation called `input`: the SQL names its columns
 * `input.column`, and those that take several rows say `FROM input`. Integers that may be large are read as text.
 */
export interface Statement {
  /** A session of PostgreSQL plans a named statement once, and one without a name each time. */
  name?: string;
  /** The columns of `input`. */
  input: Readonly<Record<string, 'bigint' | 'text' | 'boolean'>>;
  sql: string;
}

/** In the order of the statement's columns. */
export type InputRow = readonly Value[];

/** Reads everything that was committed and acknowledged before the call. */
export interface Reader {
  /** Finds its rows by an index. Reads of equal statements and values that wait together share one result. */
  read<Result>(
    statement: Statement,
    values: InputRow,
    resultOf: (rows: never[]) => Result,
  ): MaybePromise<Result>;
  /** May read every row of a table while others `read`. Does not start once `signal` is aborted. */
  scan<Row>(statement: Statement, values: InputRow, signal?: AbortSignal): Promise<Row[]>;
}

/** The tables whose ids are drawn. */
export const drawnTables = ['pets', 'orders', 'api_keys'] as const;
export type DrawnTable = (typeof drawnTables)[number];

/**
 * A transaction that writes. Its statements run in the order of the calls; those that nobody awaits may travel with
 * COMMIT.
 */
export interface Tx {
  /** Runs the statement for all rows of `input`. */
  each<Row>(statement: Statement, rows: readonly InputRow[]): MaybePromise<Row[]>;
  /** Ids that no row of the table ever had, in ascending order, and fewer only if all are used up. Some may stay unused. */
  draw(table: DrawnTable, count: number): MaybePromise<bigint[]>;
  /** Keeps others from changing categories, or from adding events, until the transaction ends. */
  lock(what: 'categories' | 'events'): void;
}

/** The condition and the sort of a page's rows. */
export interface PageRange {
  where: string;
  orderBy: string;
}

/** What the engines write differently in a statement, because their planners differ. */
export interface Dialect {
  /** The rows with `column = input.column`, from the id `input.start` on. Without a column, all of them. */
  rangeOf(column: string | undefined, sort: Sort): PageRange;
  /** The first `input.size + 1` rows of a sorted SELECT. */
  limited(select: string): string;
}

/** What a store stands on: SQLite or PostgreSQL, opened to serve. */
export interface Engine extends Reader, Pick<PetStore, 'version' | 'areWritesFailing'> {
  dialect: Dialect;
  /**
   * Applies a change in a batch with others, and resolves once it is on disk. Fails with `overloaded` if too many
   * changes wait.
   */
  apply(change: TimedChange): Promise<Outcome>;
  /** How often the end of the log may be read while a request waits. */
  checkEventsEveryMs: number;
  /** Waits for pending changes and running searches, then ends every connection. */
  close(): Promise<void>;
}

/** Applies a change. The type of the result follows from the kind of the change. */
export type Apply = <Kind extends Change>(change: Kind) => Promise<AppliedBy<Kind> | Refusal>;
