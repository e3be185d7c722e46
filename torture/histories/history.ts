/** A pet as callers see it; its id is kept beside it. */
export interface Pet {
  name: string;
  categoryId: number;
  status?: string;
}

/** Some fields of a pet. Null stands for no status. */
export interface PetFields {
  name?: string;
  categoryId?: number;
  status?: string | null;
}

/** Without a response it is unknown whether a change has happened, or ever will. */
type Change<Done> = Done | 'missing' | 'changed' | 'unknown';

type Subject =
  | { kind: 'create'; pet: Pet; result: { id: number; isReplayed: boolean } | 'unknown' }
  | { kind: 'update'; id: number; changes: PetFields; expected?: PetFields; result: Change<Pet> }
  | { kind: 'delete'; id: number; expected?: PetFields; result: Change<'deleted'> }
  | { kind: 'get'; id: number; result: Pet | 'missing' }
  | ({ kind: 'pets'; status?: string; pets: Map<number, Pet> } & Range)
  | ({ kind: 'orders'; orders: Order[] } & Range);

/** A page shows everything with an id greater than `after`, up to `upTo`: its last id, or Infinity if no page follows. */
export interface Range {
  after: number;
  upTo: number;
}

export interface Order {
  id: number;
  petId: number;
  status: string;
}

interface Timed {
  /** When the request was sent, and when its response had come, in milliseconds of one steady clock. */
  from: number;
  to: number;
}

export type Operation = Subject & Timed & { caller: number };

/** A key that `petstore keys` made, and revoked. The times are those of the commands. */
export interface KeyLife {
  createdAt: number;
  revokingAt: number;
  revokedAt: number;
}

export interface KeyUse extends Timed {
  key: KeyLife;
  isAccepted: boolean;
}

/** All that callers know of one store, from its first request to a whole walk at the end. */
export interface History {
  operations: Operation[];
  keyUses: KeyUse[];
  /** Responses that no request calls for. */
  wrong: string[];
}

export interface Fault {
  kind:
    | 'stale read'
    | 'impossible response'
    | 'missing order'
    | 'wrong orders'
    | 'undecided pet'
    | 'wrong page'
    | 'wrong key'
    | 'doubled pet'
    | 'wrong replay'
    | 'wrong response'
    | 'wrong mirror';
  text: string;
  /** Every operation on the pet, a line for each. */
  history?: string[];
}

/** The same for equal pets. */
export function petText(pet: Pet | undefined): string {
  return pet ? `${pet.name} ${pet.categoryId} ${pet.status ?? '-'}` : 'no pet';
}

export function isAs(pet: Pet, fields: PetFields): boolean {
  return (
    (fields.name ?? pet.name) === pet.name &&
    (fields.categoryId ?? pet.categoryId) === pet.categoryId &&
    (fields.status === undefined || fields.status === (pet.status ?? null))
  );
}

export function withFields(pet: Pet, { name, categoryId, status }: PetFields): Pet {
  const kept = status === undefined ? pet.status : (status ?? undefined);
  return {
    name: name ?? pet.name,
    categoryId: categoryId ?? pet.categoryId,
    ...(kept !== undefined && { status: kept }),
  };
}

/** The part of a name that no update changes: it is unlike that of any other pet. */
export function ownName(name: string): string {
  return name.split('/')[0] ?? '';
}
