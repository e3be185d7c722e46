import { int64Range } from '../../domain/int64.ts';
import type { InputRow, Statement, Tx } from '../statement.ts';
import type { Send } from './session.ts';
import { arraysOf, prepareForRows } from './statements.ts';

/** The statements of a transaction. */
export function createTx(send: Send): Tx {
  return {
    each<Row>(statement: Statement, rows: readonly InputRow[]) {
      if (rows.length === 0) return [];
      // Return this very promise: a failure of one derived from it could go unhandled.
      return send(prepareForRows(statement), arraysOf(statement, rows)) as Promise<Row[]>;
    },
    async draw(table, count) {
      if (count === 0) return [];
      const [row] = await send<{ ids: string | null }>(drawFrom(sequences[table]), [count]);
      return row?.ids?.split(' ').map(BigInt) ?? [];
    },
    lock: (what) => void send(locks[what]),
  };
}

export const sequences = { pets: 'pet_ids', orders: 'order_ids', api_keys: 'api_key_ids' } as const;

/** Near the end of a sequence, draws fewer ids: `nextval` would fail there and undo the transaction. */
function drawFrom(sequence: string) {
  const remaining = `${int64Range.largest} - coalesce(pg_catalog.pg_sequence_last_value('${sequence}'), 0)`;
  return {
    name: `draw-${sequence}`,
    text: `SELECT string_agg(pg_catalog.nextval('${sequence}')::text, ' ') AS ids
      FROM generate_series(1, least($1::bigint, ${remaining}))`,
  };
}

/** "even" in ASCII. */
const eventLock = 0x6576656e;
const locks = {
  // All of them, because a number without a name has no row to lock. Others may still read.
  categories: 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE',
  events: { name: 'lock-events', text: `SELECT pg_advisory_xact_lock(${eventLock})` },
};
