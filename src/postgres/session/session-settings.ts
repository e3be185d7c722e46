import type { Connection } from './connection.ts';
import { wasUndone } from '../errors.ts';

/**
 * The statements that serve requests find their rows by an index, in its order, whatever the values are. So a session
 * keeps one plan for each; by default PostgreSQL plans them again for every call, which takes longer than running them.
 */
const settings = {
  plan_cache_mode: 'force_generic_plan',
  // A kept plan may be older than the pets, so plans that pay off only in small tables are ruled out.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // The server takes a page for a tenth of the table, and would compile every page of a large one.
  jit: 'off',
};

/** A server that does not know a setting goes on planning in its own way. */
export async function applySettings(connection: Connection): Promise<void> {
  const change = `
    SELECT set_config(name, wanted.value, false)
    FROM pg_settings JOIN unnest($1::text[], $2::text[]) AS wanted (name, value) USING (name)`;
  try {
    await connection.query(change, [Object.keys(settings), Object.values(settings)]);
  } catch (error) {
    if (!wasUndone(error)) throw error;
  }
}
