import type { App } from 'petstore-server/embed';

export type Fetch = App['fetch'];

/** Wraps the service: sees each request before and each response after it. The service accepts the key. */
export type Wrap = (fetch: Fetch, apiKey: string) => Fetch;

/** `all` is for mistakes that show in more than one operation. */
export const mutantOperations = [
  'listPets',
  'createPet',
  'getPet',
  'getCategory',
  'putCategory',
  'deleteCategory',
  'listEvents',
  'all',
] as const;
export type MutantOperation = (typeof mutantOperations)[number];

/** The service with exactly one mistake. */
export interface MutantDefinition {
  /** Never reused, even if this mutant is removed. */
  number: number;
  name: string;
  /** The mistake, in one line. */
  description: string;
  /** `contract`, the default, if the contract itself forbids the mistake; `strict` if only our own decisions do. */
  breaks?: 'contract' | 'strict';
  /** The operation that has the mistake, if it is not that of its group. `wrap` sees only requests for a stable one. */
  operation?: MutantOperation;
  wrap: Wrap;
}

/** Mutants that the contract allows and our own decisions forbid. */
export function strict(mutants: MutantDefinition[]): MutantDefinition[] {
  return mutants.map((mutant) => ({ ...mutant, breaks: 'strict' }));
}

/** A mutant without its code, for JSON. */
export function describeMutant(mutant: Mutant): Omit<Mutant, 'wrap'> {
  const { number, name, description, breaks, operation, section } = mutant;
  return { number, name, description, breaks, operation, section };
}

export interface Mutant extends Required<MutantDefinition> {
  /** The section of the contract, or the feature beyond it, that the mistake is about. */
  section: string;
}
