import { OperatorError } from '../../domain/error.ts';
import type { Session } from './session.ts';

interface RightsRow {
  role: string;
  schema: string;
  isReadOnly: boolean;
  /** The tables and sequences that the role may not use as the service does. */
  refused: string[];
}

/** Only tables that exist count: a new database has none. Role and schema come quoted, for the GRANT. */
const selectRights = `
  SELECT quote_ident(current_user) AS role, quote_ident(current_schema()) AS schema,
    current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    ARRAY(
      SELECT relname::text FROM pg_class JOIN unnest('{pets, orders, categories, deletions, events, event_log,
        api_keys, idempotency_keys, pet_ids, order_ids}'::text[]) AS name ON oid = to_regclass(name)
      WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE')
        ELSE (SELECT bool_and(has_table_privilege(oid, privilege))
          FROM unnest('{SELECT, INSERT, UPDATE, DELETE}'::text[]) AS privilege) END
      ORDER BY relname
    ) AS refused`;

/** Why the role may not write, and what to grant. */
export async function problemOfRights(session: Session): Promise<OperatorError | undefined> {
  const [row] = await session.query<RightsRow>(selectRights);
  if (!row) throw new Error('The server says nothing about the role.');
  const { role, schema, isReadOnly, refused } = row;
  if (refused.length > 0)
    return new OperatorError(
      `The role ${role} may not read and write ${refused.join(', ')}.`,
      'Run this as the owner of the tables: ' +
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}; ` +
        `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};`,
    );
  if (isReadOnly)
    return new OperatorError(
      `Transactions of the role ${role} are read-only.`,
      'Find out who has set default_transaction_read_only (for the role, the database or the server), and reset it.',
    );
  return undefined;
}
