import { Client } from 'pg';
import { breakSql } from './layers.ts';

/** Nobody makes the index that finds pets by their status. */
const rewrite = (sql: string): string => sql.replace(/CREATE INDEX pets_by_status[^;]*;/, '');

breakSql(import.meta.path, { rewrite });

const client = Client.prototype as unknown as { query: (this: object, ...args: unknown[]) => unknown };
const { query } = client;
client.query = function (statement, ...others) {
  const isText = typeof statement === 'string';
  if (!isText) Object.assign(statement as object, { text: rewrite((statement as { text: string }).text) });
  return query.call(this, isText ? rewrite(statement) : statement, ...others);
};
