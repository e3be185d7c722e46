export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** The largest request body. */
export const maxBodyBytes = 64 * 1024;

/** A pet as a caller describes it; the service adds the id. */
export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
}

/** Some fields of a pet. Null means that an optional field is absent. */
export type PetFields = { [Name in keyof NewPet]?: NewPet[Name] | null };

export type FieldValue = string | bigint;
export type FieldValues = Partial<Record<keyof NewPet, FieldValue | null>>;

/** The pet as JSON. Every store must produce the same bytes, because the ETag is their hash. */
export function renderPet(id: bigint | string, fields: string): string {
  return `{"id":${id},${fields}`;
}

/**
 * The pet's JSON after its id, which only the store knows. An integer may be passed as text. The fields are written out
 * in the order of the table, because every pet of a page passes here.
 */
export function renderFields({ name, categoryId, status }: FieldValues): string {
  const statusField = status ? `,"status":"${status}"` : '';
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** Whether the API could have accepted this name. A character takes at most six bytes, so few names need measuring. */
export function fitsBody(name: string): boolean {
  return name.length < maxBodyBytes / 8 || Buffer.byteLength(JSON.stringify({ name })) <= maxBodyBytes;
}
