import type { Connection } from './connection.ts';
import { wasUndone } from '../errors.ts';

/**
 * The statements that serve requests find their rows by an index, in its order, whatever the values are. So a session
 * keeps one plan for each; left alone, PostgreSQL plans them anew for every call, which takes longer than to run them
 * (a page of 20: 325 µs there and back, 125 with its plan kept).
 */
const settings = {
  plan_cache_mode: 'force_generic_plan',
  // A kept plan may be older than the pets, so the ways that pay off in small tables only are ruled out.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // The server guesses that a page is a tenth of the table. From 6 million pets on it would compile every page.
  jit: 'off',
};

/** A server that does not know some of the settings, or none, goes on planning in its own way. */
export async function keepPlans(connection: Connection): Promise<void> {
  const change = `
    SELECT set_config(name, wanted.value, false)
    FROM pg_settings JOIN unnest($1::text[], $2::text[]) AS wanted (name, value) USING (name)`;
  try {
    await connection.query(change, [Object.keys(settings), Object.values(settings)]);
  } catch (error) {
    if (!wasUndone(error)) throw error;
  }
}
