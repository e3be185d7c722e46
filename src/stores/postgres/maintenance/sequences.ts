import type { Query } from '../session.ts';

type Sequence = 'pet_ids' | 'order_ids' | 'api_key_ids';

/** The last id that was drawn; 0 if there is none. */
export async function lastIdOf(query: Query, sequence: Sequence): Promise<bigint> {
  const select = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS id FROM ${sequence}`;
  const [row] = await query<{ id: string }>(select);
  return BigInt(row?.id ?? 0);
}

/** More ids than others could draw between two statements. */
const farAway = 1_000_000n;

/**
 * Makes new ids follow this one. A running service draws ids at the same time, and `setval` could move the sequence
 * back behind them. So it is advanced by drawing ids, and set only across a distance that others cannot cover in the
 * meantime.
 */
export async function moveSequence(query: Query, sequence: Sequence, id: bigint): Promise<void> {
  const missing = id - (await lastIdOf(query, sequence));
  if (missing > farAway) await query(`SELECT setval('${sequence}', $1::bigint)`, [String(id)]);
  else if (missing > 0n) {
    const draw = `SELECT max(nextval('${sequence}')) FROM generate_series(1, $1::bigint)`;
    await query(draw, [String(missing)]);
  }
}
