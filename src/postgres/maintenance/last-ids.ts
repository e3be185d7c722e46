import type { LastIds } from '../../domain/bulk-store.ts';
import type { Run } from './command-connection.ts';

/** The last id that was drawn. */
const lastId = 'CASE WHEN is_called THEN last_value ELSE last_value - 1 END';

export async function readLastIds(run: Run): Promise<LastIds> {
  const read = async (sequence: string): Promise<bigint> => {
    const [row] = await run<{ id: string }>(`SELECT (${lastId})::text AS id FROM ${sequence}`);
    return BigInt(row?.id ?? 0);
  };
  return { pets: await read('pet_ids'), orders: await read('order_ids') };
}

export async function raiseLastIds(run: Run, { pets, orders }: LastIds): Promise<void> {
  const raise = (sequence: string, id: bigint) =>
    run(`SELECT setval('${sequence}', $1::bigint) FROM ${sequence} WHERE ${lastId} < $1::bigint`, [
      String(id),
    ]);
  await raise('pet_ids', pets);
  await raise('order_ids', orders);
  // Some of these pets may have been deleted; nobody knows which.
  await run('UPDATE deletions SET largest_pet_id = $1::bigint WHERE largest_pet_id < $1::bigint', [
    String(pets),
  ]);
}
