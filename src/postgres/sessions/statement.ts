import type { QueryResultRow } from 'pg';

/** A statement by name, so that a session parses and plans it once; without a name, it is parsed each time. */
export interface Statement {
  name?: string;
  text: string;
}

type Value = string | number | boolean | null;
export type Values = readonly (Value | readonly Value[])[];

/**
 * Sends a statement behind those before it, without waiting for their responses. Fails with the server's `DatabaseError`,
 * or with a `SessionLostError` if there was no response.
 */
export type Query = <Row extends QueryResultRow>(
  statement: Statement | string,
  values?: Values,
) => Promise<Row[]>;
