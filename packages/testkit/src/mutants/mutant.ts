import type { App } from 'petstore-server/embed';

export type Fetch = App['fetch'];

/** Wraps the service: sees each request before and each response after it. The service accepts the key. */
export type Wrap = (fetch: Fetch, apiKey: string) => Fetch;

/** The service with exactly one mistake. */
export interface MutantDefinition {
  /** Never reused, even if this mutant is removed. */
  number: number;
  name: string;
  /** The mistake, in one line. */
  description: string;
  /** `contract`, the default, if the contract itself forbids the mistake; `strict` if only our own decisions do. */
  breaks?: 'contract' | 'strict';
  wrap: Wrap;
}

/** Mutants that the contract allows and our own decisions forbid. */
export function strict(mutants: MutantDefinition[]): MutantDefinition[] {
  return mutants.map((mutant) => ({ ...mutant, breaks: 'strict' }));
}

export type Mutant = Required<MutantDefinition>;
