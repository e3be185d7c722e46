import {
  isPetStatus,
  petStatuses,
  type PetStatus,
  type SearchPetsOptions,
} from '../../../../client/src/index.ts';

export type StatusFilter = PetStatus | 'all';

/** What the list shows. It lives in the address, so that a reload or a shared link shows the same. */
export interface PetQuery {
  /** What the person searches for, as typed: words of a name, `#7` for an id or `category:7`. */
  text: string;
  status: StatusFilter;
}

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses];

export const defaultQuery: PetQuery = { text: '', status: 'all' };

export function searchOf({ text, status }: PetQuery): SearchPetsOptions {
  const [, kind, digits] = /^\s*(#|category:)\s*(-?\d+)\s*$/i.exec(text) ?? [];
  const number = numberOf(digits ?? '');
  const wanted = kind === '#' ? { id: number } : { categoryId: number };
  return {
    ...(number === undefined ? { q: text.trim() || undefined } : wanted),
    ...(status !== 'all' && { status }),
  };
}

/** The number that somebody typed, which may be an id or a category; undefined for anything else. */
export function numberOf(text: string): bigint | undefined {
  if (!/^\s*-?\d{1,19}\s*$/.test(text)) return undefined;
  const number = BigInt(text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** Reads the query of an address. What it does not know counts as absent. */
export function readQuery(search: string): PetQuery {
  const parameters = new URLSearchParams(search);
  const status = parameters.get('status');
  return { text: parameters.get('q') ?? '', status: isPetStatus(status) ? status : 'all' };
}

/** The query of an address, with its question mark; empty for the default. */
export function renderQuery({ text, status }: PetQuery): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (status !== 'all') parameters.set('status', status);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
