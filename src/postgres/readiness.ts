import { randomUUID } from 'node:crypto';
import type { CreatedPet } from '../domain/pet.ts';
import type { CreatePets, CreateResult } from './pets/create.ts';
import type { Database } from './database.ts';
import { unavailable } from './errors.ts';
import type { KeyWatch } from './keys/key-watch.ts';
import type { SessionGroup } from './session/group.ts';
import { within } from './within.ts';

/** Proves that the store can be used: a recent commit can be read, and the keys are fresh. */
export interface Readiness {
  /** The same creates, observed: after a commit no other proof is needed for a while. */
  observe(create: CreatePets): CreatePets;
  /** The same changes, observed: after a failure, an earlier commit proves nothing. */
  observeChanges<Request, Result>(run: RunChanges<Request, Result>): RunChanges<Request, Result>;
  /** Fails with `unavailable` unless the sessions that serve requests can read and write. */
  check(): Promise<void>;
}

type RunChanges<Request, Result> = (requests: Request[]) => Promise<Result[]>;

const proofLastsMs = 1000;
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
const readPet = { name: 'read-pet', text: 'SELECT 1 AS found FROM pets WHERE id = $1::bigint' };

export function createReadiness(
  group: SessionGroup,
  database: Database,
  watch: KeyWatch,
  now: () => number,
): Readiness {
  const replica = randomUUID();
  let sequence = 0;
  let last: { petId: bigint; at: number; losses: number } | undefined;

  const isRead = async (statement: typeof readPet, values: string[]): Promise<boolean> =>
    (await database.readEverywhere(statement, values)).every((rows) => rows.length === 1);

  /** A pet that cannot be read may have been deleted, which proves nothing. */
  const isProvenByCreate = async (): Promise<boolean> =>
    last !== undefined &&
    performance.now() - last.at < proofLastsMs &&
    last.losses === group.losses &&
    isRead(readPet, [String(last.petId)]);

  const prove = async (): Promise<void> => {
    const proof = String(++sequence);
    await database.writeBeside(writeProof, [replica, now(), proof]);
    if (!(await isRead(readProof, [replica, proof])))
      throw unavailable(new Error('A commit cannot be read on every session.'));
    // Nothing depends on it.
    if (sequence === 1) database.writeBeside(removeOld, [now() - keptForMs]).catch(() => {});
  };

  const check = async (): Promise<void> => {
    if (!(await isProvenByCreate())) await prove();
    await watch.check();
  };

  const observeChanges: Readiness['observeChanges'] = (run) => async (requests) => {
    try {
      return await run(requests);
    } catch (error) {
      last = undefined;
      throw error;
    }
  };

  return {
    observe: (create) =>
      observeChanges(async (requests) => {
        const results = await create(requests);
        const committed = results.findLast(isNew);
        if (committed) last = { petId: committed.id, at: performance.now(), losses: group.losses };
        return results;
      }),
    observeChanges,
    check: () => within(checkWithinMs, check()),
  };
}

function isNew(result: CreateResult): result is CreatedPet {
  return result !== 'conflict' && !(result instanceof Error) && !result.replayed;
}
