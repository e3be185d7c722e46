import type { QueryResultRow } from 'pg';

/** A session parses and plans a named statement once, and one without a name each time. */
export interface Statement {
  name?: string;
  text: string;
}

type Value = string | number | boolean | null;
export type Values = readonly (Value | readonly Value[])[];

/**
 * Sends a statement after the previous ones without waiting for their responses. Fails with the server's
 * `DatabaseError`, or with a `SessionLostError` if there was no response.
 */
export type Query = <Row extends QueryResultRow>(
  statement: Statement | string,
  values?: Values,
) => Promise<Row[]>;
