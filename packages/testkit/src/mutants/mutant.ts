import type { App } from 'petstore-server/embed';

export type Fetch = App['fetch'];

/** Puts a mistake around the service. The key is one that the service accepts. */
export type Wrap = (fetch: Fetch, apiKey: string) => Fetch;

/** The service with exactly one mistake. */
export interface MutantDefinition {
  /** Never given to another mutant, not even when this one goes away. */
  number: number;
  name: string;
  /** The mistake, in one line. */
  description: string;
  /** `contract`, the default, if the contract itself forbids the mistake; `strict` if only our own decisions do. */
  breaks?: 'contract' | 'strict';
  wrap: Wrap;
}

export interface Mutant extends Required<MutantDefinition> {
  /** The mistake of which it is a variant. */
  family: string;
}
