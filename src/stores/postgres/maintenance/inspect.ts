import { OperatorError } from '../../../domain/error.ts';
import { parseAddress, type Environment } from '../address.ts';
import { onSession } from '../errors.ts';
import { problemOfRights } from '../rights.ts';
import { isWithoutSchema } from '../schema.ts';

export interface PostgresInspection {
  version: string;
  petCount: number;
  orderCount: number;
  usableKeyCount: number;
  /** True if there is no store yet. */
  isNew: boolean;
  /** Why the role may not serve, or not make the tables if there are none. */
  problemOfRights: OperatorError | undefined;
}

type InspectionRow = Omit<PostgresInspection, 'isNew' | 'problemOfRights'> & { mayCreate: boolean };

/** Inspects a database without changing it. Fails with the service's own error. */
export function inspectPostgres(address: string, environment: Environment): Promise<PostgresInspection> {
  return onSession({ address: parseAddress(address, environment), timeouts }, async (session) => {
    const isNew = await isWithoutSchema(session);
    const [found] = await session.query<InspectionRow>(isNew ? selectNew : selectStore);
    if (!found) throw new Error('The server says nothing about the store.');
    const { mayCreate, ...counts } = found;
    return { ...counts, isNew, problemOfRights: mayCreate ? await problemOfRights(session) : mayNotCreate };
  });
}

/** Counting a large table takes a while. */
const timeouts = { lockMs: 2000, statementMs: 60_000, silenceMs: 61_000 };

const selectServer = "SELECT current_setting('server_version') AS version";

const selectNew = `${selectServer}, 0 AS "petCount", 0 AS "orderCount", 0 AS "usableKeyCount",
    has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`;

const selectStore = `${selectServer},
    (SELECT count(*) FROM pets)::float8 AS "petCount", (SELECT count(*) FROM orders)::float8 AS "orderCount",
    (SELECT count(*) FROM api_keys WHERE (revoked_at IS NULL OR revoked_at > extract(epoch FROM now()) * 1000)
      AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()) * 1000))::float8 AS "usableKeyCount",
    true AS "mayCreate"`;

const mayNotCreate = new OperatorError(
  'The role may not make the tables.',
  'Run petstore migrate once with a role that may.',
);
