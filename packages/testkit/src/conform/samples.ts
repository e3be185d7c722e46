import { statuses } from './rules.ts';
import type { Api } from './api.ts';
import { createPet, newPet, type SeenPet, type SentPet } from './pets.ts';

export interface SamplePet {
  sent: SentPet;
  created: SeenPet;
}

/** Enough for a list that the default limit cuts off, with every status and none. */
export const sampleCount = 24;

const eachStatus = [...statuses, undefined];
const samplesOf = new WeakMap<Api, Promise<SamplePet[]>>();

/** Ordinary pets that all checks share. The first check that needs them creates them. */
export function samples(api: Api): Promise<SamplePet[]> {
  const pets = samplesOf.get(api) ?? createSamples(api);
  samplesOf.set(api, pets);
  return pets;
}

/** The first sample with this status; without an argument, one that has none. */
export async function sampleWith(api: Api, status?: string): Promise<SamplePet> {
  const sample = (await samples(api)).find(({ sent }) => sent.status === status);
  if (!sample) throw new RangeError(`There is no sample with status ${status}`);
  return sample;
}

function createSamples(api: Api): Promise<SamplePet[]> {
  const sent = Array.from({ length: sampleCount }, (_, index): SentPet => {
    const status = eachStatus[index % eachStatus.length];
    return { ...newPet(api, `sample ${index + 1}`, `${index + 1}`), ...(status && { status }) };
  });
  return Promise.all(sent.map(async (pet) => ({ sent: pet, created: await createPet(api, pet) })));
}
