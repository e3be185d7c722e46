export type ColumnValue = string | number | bigint | boolean | null;

/** How both stores keep something. Times are milliseconds since 1970. */
export interface TableForm<Row, Stored> {
  name: string;
  columns: Record<string, 'bigint' | 'text' | 'boolean'>;
  /** The first columns, as many as this, order the rows; no two rows are the same in them. */
  keyLength: 1 | 2;
  /** In the order of the columns. */
  valuesOf: (row: Row) => ColumnValue[];
  /** Integers arrive as text, which loses no digit. */
  parse: (stored: Stored) => Row;
}

export function columnsOf({ columns }: Pick<TableForm<never, never>, 'columns'>): string {
  return Object.keys(columns).join(', ');
}

/** For a column that may be null. */
export function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}

/** The field with this time, unless it is null. */
export function timeField<Name extends string>(name: Name, ms: string | null): { [Key in Name]?: Date } {
  return ms === null ? {} : ({ [name]: new Date(Number(ms)) } as { [Key in Name]: Date });
}
