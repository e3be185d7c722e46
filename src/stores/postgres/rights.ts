import { OperatorError } from '../../domain/error.ts';
import type { Log } from '../../system/log.ts';
import { tableNames } from '../schema.ts';
import type { Send } from './session.ts';
import { sequences } from './tx.ts';

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
      SELECT relname::text FROM pg_class JOIN unnest($1::text[]) AS name ON oid = to_regclass(name)
      WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE')
        ELSE (SELECT bool_and(has_table_privilege(oid, privilege))
          FROM unnest('{SELECT, INSERT, UPDATE, DELETE}'::text[]) AS privilege) END
      ORDER BY relname
    ) AS refused`;

/**
 * Refuses a role that may not write, and says what to grant. Otherwise, a rolling update could replace every replica
 * that may write with one that may only read.
 */
export async function refuseReader(send: Send): Promise<void> {
  const [row] = await send<RightsRow>(selectRights, [[...tableNames, ...Object.values(sequences)]]);
  if (!row) throw new Error('The server says nothing about the role.');
  const { role, schema, isReadOnly, refused } = row;
  if (refused.length > 0)
    throw new OperatorError(
      `The role ${role} may not read and write ${refused.join(', ')}.`,
      'Run this as the owner of the tables: ' +
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}; ` +
        `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};`,
    );
  if (isReadOnly)
    throw new OperatorError(
      `Transactions of the role ${role} are read-only.`,
      'Find out who has set default_transaction_read_only (for the role, the database or the server), and reset it.',
    );
}

/**
 * The roles that could replace a table or a function of ours, because they may create in our schema, or create a schema
 * in the database. Owners of the database, the schema or the tables are left out, as is this role: they may do so anyway.
 */
const selectOthers = `
  SELECT rolname AS role FROM pg_roles
  WHERE (has_schema_privilege(oid, current_schema(), 'CREATE')
      OR has_database_privilege(oid, current_database(), 'CREATE'))
    AND NOT EXISTS (
      SELECT FROM (
        SELECT quote_ident(current_user)::regrole
        UNION SELECT datdba FROM pg_database WHERE datname = current_database()
        UNION SELECT nspowner FROM pg_namespace WHERE nspname = current_schema()
        UNION SELECT relowner FROM pg_class WHERE oid = 'petstore_schema'::regclass
      ) AS owners (owner) WHERE pg_has_role(oid, owner, 'MEMBER'))
  ORDER BY rolname LIMIT 5`;

/** Code that the server runs when the service reads or writes a table. It is harmless if the operator knows about it. */
const selectAdditions = `
  SELECT format('trigger %I on %s', tgname, tgrelid::regclass) AS addition FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid = ANY ($1::regclass[])
  UNION ALL SELECT format('rule %I on %s', rulename, ev_class::regclass) FROM pg_rewrite
    WHERE ev_class = ANY ($1::regclass[])
  UNION ALL SELECT format('row policy %I on %s', polname, polrelid::regclass) FROM pg_policy
    WHERE polrelid = ANY ($1::regclass[])
  ORDER BY addition LIMIT 5`;

/** Tells the operator of a shared database who and what else can change the store. */
export async function warnOfOthers(send: Send, log: Log): Promise<void> {
  const additions = await send<{ addition: string }>(selectAdditions, [tableNames]);
  if (additions.length > 0)
    log.warn(
      "The store's tables have triggers, rules or row policies, which can change or hide what the service reads and " +
        'writes. Find out who made them, and drop them unless they are yours.',
      { additions: additions.map(({ addition }) => addition).join(', ') },
    );
  const others = await send<{ role: string }>(selectOthers);
  if (others.length === 0) return;
  const roles = others.map(({ role }) => role).join(', ');
  log.warn(
    "Other roles may create tables and functions beside the store's, and so read and change it. " +
      'Revoke CREATE on its schema and its database from them, and from PUBLIC.',
    { roles },
  );
}
