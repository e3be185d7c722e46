import type { Api } from './api.ts';
import { expectThat } from './mismatch.ts';
import { listPets, readList, readPets } from './pets.ts';
import { limits, statuses } from './rules.ts';

/** A list that is not cut off, so a new pet must be on it. */
export interface WholeList {
  query: string;
  /** The status of the pets on it. */
  status?: string;
}

/** How many pets a check may add before the list is cut off. */
const margin = 10;

/** The list of all pets, or of one status in a larger store; undefined if those are cut off too. */
export async function findWholeList(api: Api): Promise<WholeList | undefined> {
  for (const status of [undefined, ...statuses]) {
    const query = `?limit=100${status === undefined ? '' : `&status=${status}`}`;
    const { length } = await readList(api, query);
    if (length + margin <= limits.largest) return { query, ...(status && { status }) };
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
