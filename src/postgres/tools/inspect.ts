import { parseAddress, type Environment } from '../address.ts';
import type { Connection } from '../session/connection.ts';
import { openConnection } from '../session/hosts.ts';
import { readSchemaVersion } from '../migrate.ts';
import { explain } from '../errors.ts';

export interface Inspection {
  version: string;
  /** An estimate: counting a large table takes long. */
  petCount: number;
  usableKeyCount: number;
  /** True when the schema has still to be made. */
  isNew: boolean;
  mayWrite: boolean;
  serverTime: number;
}

/** Looks at a database and changes nothing. Fails with what the service would say of it. */
export async function inspectPostgres(address: string, environment: Environment): Promise<Inspection> {
  const parsed = parseAddress(address, environment);
  let connection: Connection | undefined;
  try {
    connection = await openConnection({ address: parsed });
    return await inspect(connection);
  } catch (error) {
    throw explain(error);
  } finally {
    await connection?.close();
  }
}

/** May the role make the schema? */
const selectNew = `
  SELECT '0' AS pets, '0' AS keys, has_schema_privilege(current_schema(), 'CREATE') AS may_write`;

/** An older schema lacks the table that shows readiness; the next start makes it. */
const selectStore = `
  SELECT greatest(reltuples, 0)::bigint::text AS pets,
    (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()) * 1000))::text AS keys,
    has_table_privilege('pets', 'INSERT')
      AND coalesce(has_table_privilege(to_regclass('write_probes'), 'INSERT'), true)
      AND has_sequence_privilege('pet_ids', 'USAGE') AS may_write
  FROM pg_class WHERE oid = 'pets'::regclass`;

async function inspect(connection: Connection): Promise<Inspection> {
  const [server] = await connection.query<{ version: string; time: string }>(
    `SELECT current_setting('server_version') AS version,
       floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS time`,
  );
  const isNew = (await readSchemaVersion(connection)) === 0;
  const [store] = await connection.query<{ pets: string; keys: string; may_write: boolean }>(
    isNew ? selectNew : selectStore,
  );
  return {
    version: server?.version ?? '',
    serverTime: Number(server?.time),
    petCount: Number(store?.pets),
    usableKeyCount: Number(store?.keys),
    isNew,
    mayWrite: store?.may_write ?? false,
  };
}
