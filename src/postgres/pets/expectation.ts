import type { SeenPet } from '../../domain/experimental-store.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { InvalidPetError, parseNewPet, renderFields, renderPet, type NewPet } from '../../domain/pet.ts';
import { hasFields, type PetFields } from '../../domain/pet-update.ts';

/** What a pet must be like to be changed. */
export type Expectation = PetFields | 'nothing';

/** Joins what the caller expects with the pet that it has seen; `nothing` when no pet can be like both. */
export function expectationOf(id: bigint, seen: SeenPet | undefined, expected: PetFields = {}): Expectation {
  if (seen === undefined) return expected;
  const pet = parseSeen(id, seen);
  if (!pet || !hasFields(pet, expected)) return 'nothing';
  return { ...pet, status: pet.status ?? null };
}

/** The pet that renders to exactly these bytes, if one does. So to compare its fields is to compare the bytes. */
function parseSeen(id: bigint, seen: SeenPet): NewPet | undefined {
  try {
    const pet = parseNewPet(parseExactJson(seen));
    return renderPet(id, renderFields(pet)) === seen ? pet : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidPetError) return undefined;
    throw error;
  }
}
