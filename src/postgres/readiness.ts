import { unavailable } from '../domain/error.ts';
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { within } from './errors.ts';
import type { KeyWatch } from './keys/key-watch.ts';

const checkWithinMs = 6000;
/** Rows of replicas that are gone are removed after a day. */
const keptForMs = 24 * 60 * 60 * 1000;

/** A row for each replica: on a shared row they would wait for each other's commits. */
const writeProof = {
  name: 'write-proof',
  text: `
    INSERT INTO write_probes (replica, probed_at, sequence) VALUES ($1, $2::bigint, $3::bigint)
    ON CONFLICT (replica) DO UPDATE SET probed_at = excluded.probed_at, sequence = excluded.sequence`,
};
// Another check may have come in between.
const readProof = {
  name: 'read-proof',
  text: 'SELECT 1 AS found FROM write_probes WHERE replica = $1 AND sequence >= $2::bigint',
};
const removeOld = {
  name: 'remove-old-proofs',
  text: 'DELETE FROM write_probes WHERE probed_at < $1::bigint',
};

/** Fails with `unavailable` unless a commit can be read on every session that serves requests, and the keys are fresh. */
export function createReadinessCheck(
  database: Database,
  watch: KeyWatch,
  now: () => number,
): () => Promise<void> {
  const replica = randomUUID();
  let sequence = 0;

  const check = async (): Promise<void> => {
    const proof = String(++sequence);
    await database.writeBeside(writeProof, [replica, now(), proof]);
    const found = await database.readEverywhere(readProof, [replica, proof]);
    if (!found.every((rows) => rows.length === 1))
      throw unavailable(new Error('A commit cannot be read on every session.'));
    // Nothing depends on it.
    if (proof === '1') database.writeBeside(removeOld, [now() - keptForMs]).catch(() => {});
    await watch.check();
  };
  return () => within(checkWithinMs, check());
}
