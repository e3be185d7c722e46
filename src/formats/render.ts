import type { Pet } from '../pet.ts';

/** A pet as one line of JSON: the very text that the service would send. */
export function petLine({ id, name, categoryId, status }: Pet): string {
  const statusField = status === undefined ? '' : `,"status":"${status}"`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}
