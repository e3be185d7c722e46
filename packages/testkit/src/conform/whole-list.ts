import type { Api } from './api.ts';
import { expectThat } from './mismatch.ts';
import { listPets, readList, readPets } from './pets.ts';
import { limits, statuses } from './rules.ts';

/** A list that shows all pets that belong on it, so that a new one must be there. */
export interface WholeList {
  query: string;
  /** The status that a pet needs to be there. */
  status?: string;
}

/** How many pets a check may add to a list that is still whole. */
const room = 10;

/** The list of all pets, or in a larger store that of one status; undefined in a store that is larger still. */
export async function findWholeList(api: Api): Promise<WholeList | undefined> {
  for (const status of [undefined, ...statuses]) {
    const query = `?limit=100${status === undefined ? '' : `&status=${status}`}`;
    const { length } = await readList(api, query);
    if (length + room <= limits.largest) return { query, ...(status && { status }) };
  }
  return undefined;
}

export async function expectCount(
  api: Api,
  { query }: WholeList,
  name: string,
  count: number,
): Promise<void> {
  const exchange = await listPets(api, query);
  const seen = readPets(exchange).filter((pet) => pet.name === name).length;
  expectThat(seen === count, exchange, `${count} pets with the name "${name}"`, `${seen} of them`);
}
