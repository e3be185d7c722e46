import { petStatuses, type NewPet } from '../../src/domain/pet.ts';
import { openConnection, type RawConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';
import { between, randomFrom, type Random } from '../../test/support/random.ts';
import {
  jsonOf,
  notThere,
  stateAfter,
  type ChangeJournal,
  type PetRecord,
  type PetState,
} from './change-journal.ts';
import type { KilledLoad } from './kill-under-load.ts';

/** Clients that create, change, sell and delete pets of their own without pause. */
export interface ChangeLoad extends KilledLoad {
  journal: ChangeJournal;
}

const clientCount = 12;
const mostChanges = 6;
const patienceMs = 60_000;

export function startChanges(url: () => string, seed: number): ChangeLoad {
  const journal: ChangeJournal = { records: [], acknowledgedCount: 0, wrong: [] };
  const stopping = new AbortController();
  const all = Promise.all(
    Array.from({ length: clientCount }, (_, client) =>
      changePets({ journal, url, client, random: randomFrom(seed * clientCount + client), stopping }),
    ),
  );
  all.catch(() => {});
  return {
    journal,
    async untilAcknowledged(count) {
      const goal = journal.acknowledgedCount + count;
      const deadline = performance.now() + patienceMs;
      while (journal.acknowledgedCount < goal) {
        if (performance.now() > deadline) return false;
        await Bun.sleep(1);
      }
      return true;
    },
    async stop() {
      stopping.abort();
      await all;
    },
  };
}

interface ClientOptions {
  journal: ChangeJournal;
  /** Asked before every connection, since a service that starts again has a new address. */
  url: () => string;
  client: number;
  random: Random;
  stopping: AbortController;
}

async function changePets({ journal, url, client, random, stopping }: ClientOptions): Promise<void> {
  let count = 0;
  while (!stopping.signal.aborted) {
    using connection = await openConnection(url());
    if (!connection) {
      await Bun.sleep(5);
      continue;
    }
    let isOpen = true;
    // What gets no response also ends the connection.
    while (isOpen && !stopping.signal.aborted) {
      const record: PetRecord = { name: `pet-${client}-${count++}`, id: undefined, acknowledged: notThere };
      journal.records.push(record);
      isOpen = await liveOneLife(random, record, (pet) => change(connection, journal, record, pet));
    }
  }
}

/** True when the change was acknowledged. Without a whole response it is left open whether it happened. */
async function change(
  connection: RawConnection,
  journal: ChangeJournal,
  record: PetRecord,
  pet: NewPet | undefined,
): Promise<boolean> {
  const next = stateAfter(record.acknowledged, pet);
  record.attempted = next;
  const response = await send(connection, record, next);
  if (typeof response === 'string') return false;
  const text = await response.text();
  if (!isExpected(response, text, record, next)) {
    journal.wrong.push(`${response.status} ${text.slice(0, 200)} for ${record.name}`);
    return false;
  }
  record.id ??= response.headers.get('Location')?.split('/').at(-1);
  record.acknowledged = next;
  delete record.attempted;
  journal.acknowledgedCount += 1;
  return true;
}

/** Creates a pet, changes it a few times, and deletes some. False as soon as something was not acknowledged. */
async function liveOneLife(
  random: Random,
  { name }: PetRecord,
  changeTo: (pet: NewPet | undefined) => Promise<boolean>,
): Promise<boolean> {
  const changes = between(random, 0, mostChanges);
  for (let version = 0; version <= changes; version++) {
    const status = random.pick([...petStatuses, undefined]);
    // The category counts the versions, so that no two of them are the same.
    if (!(await changeTo({ name, categoryId: BigInt(version), ...(status && { status }) }))) return false;
  }
  return random.next() < 0.5 || (await changeTo(undefined));
}

function send(connection: RawConnection, { name, id, acknowledged }: PetRecord, { pet }: PetState) {
  const path = `/v1/pets/${id}`;
  if (pet === undefined) return connection.send('DELETE', path, { key: fixedKey });
  const fields = `"categoryId":${pet.categoryId},"status":${JSON.stringify(pet.status ?? null)}`;
  if (acknowledged.pet) {
    const body = `{${fields},"expected":{"categoryId":${acknowledged.pet.categoryId}}}`;
    return connection.send('PATCH', path, { key: fixedKey, body });
  }
  const body = `{"name":"${name}",${fields}}`.replace(',"status":null', '');
  return connection.send('POST', '/v1/pets', { key: fixedKey, body });
}

function isExpected(response: Response, text: string, { id }: PetRecord, { pet }: PetState): boolean {
  if (pet === undefined) return response.status === 204;
  if (id === undefined) return response.status === 201;
  return response.status === 200 && text === jsonOf(id, pet);
}
