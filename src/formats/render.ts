import type { StoredPet } from '../bulk-store.ts';

/** A pet as one line of JSON: the very text that the service would send. */
export function petLine({ id, name, categoryId, status }: StoredPet): string {
  const statusField = status === undefined ? '' : `,"status":"${status}"`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}
