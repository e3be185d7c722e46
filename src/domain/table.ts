export type ColumnValue = string | number | bigint | boolean | null;

/** How both stores keep one kind of row. Times are milliseconds since 1970. */
export interface TableForm<Row, Stored> {
  name: string;
  columns: Record<string, 'bigint' | 'text' | 'boolean'>;
  /** How many leading columns form the primary key. */
  keyLength: 1 | 2;
  /** In the order of the columns. */
  valuesOf: (row: Row) => ColumnValue[];
  /** Integers are passed as text, which keeps every digit. */
  parse: (stored: Stored) => Row;
}

export function columnsOf({ columns }: Pick<TableForm<never, never>, 'columns'>): string {
  return Object.keys(columns).join(', ');
}

/** For a column that may be null. */
export function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}

/** An object with this time as its only field, or an empty one for null. */
export function timeField<Name extends string>(name: Name, ms: string | null): { [Key in Name]?: Date } {
  return ms === null ? {} : ({ [name]: new Date(Number(ms)) } as { [Key in Name]: Date });
}
