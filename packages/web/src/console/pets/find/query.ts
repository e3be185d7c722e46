import {
  isPetStatus,
  petStatuses,
  type Pet,
  type PetStatus,
  type SearchPetsOptions,
} from '../../../../../client/src/index.ts';
import { searchWords } from '../../../../../../src/domain/fold.ts';

export type StatusFilter = PetStatus | 'all' | 'none';

/** What the list shows. It lives in the address, so that a reload or a shared link shows the same. */
export interface PetQuery {
  /** What the person searches for, as typed: words of a name, a number, `#7`, `category:7` or `"7"`. */
  text: string;
  status: StatusFilter;
  /** Only pets of this category. */
  category?: bigint | undefined;
}

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses, 'none'];

export const defaultQuery: PetQuery = { text: '', status: 'all', category: undefined };

/** What the search understands, with its meaning. */
export const searchForms: readonly [form: string, meaning: string][] = [
  ['rex', 'Pets with this word, or its beginning, in their name'],
  ['dogs', 'Categories with this word in their name, above the pets'],
  ['7', 'The pet with the id 7, then the pets of category 7'],
  ['#7', 'The pet with the id 7'],
  ['category:7', 'The pets of category 7'],
  ['"7"', 'Pets with 7 in their name'],
];

/**
 * What to ask the service for. A plain number asks for its category, unless one is chosen already; `idOf` has its other
 * meaning.
 */
export function searchOf({ text, status, category }: PetQuery): SearchPetsOptions {
  const [, quoted] = /^\s*["“”„](.*)["“”]\s*$/.exec(text) ?? [];
  const [, kind, digits] = /^\s*(#|category:)?\s*(-?\d+)\s*$/i.exec(text) ?? [];
  const number = numberOf(digits ?? '');
  const isId = kind === '#' || (kind === undefined && category !== undefined);
  const words = (quoted ?? text).trim();
  const wanted = isId ? { id: number } : { categoryId: number };
  return {
    categoryId: category,
    ...(number === undefined ? { q: searchWords(words).length > 0 ? words : undefined } : wanted),
    ...(isPetStatus(status) && { status }),
  };
}

/** The id that a plain number may be, such as one from a label scanner. */
export function idOf({ text }: PetQuery): bigint | undefined {
  return numberOf(text);
}

/** True when a pet passes the filters. The service itself cannot search for pets without a status. */
export function passes({ status, category }: PetQuery, pet: Pet): boolean {
  const hasStatus = status === 'all' || status === (pet.status ?? 'none');
  return hasStatus && (category === undefined || category === pet.categoryId);
}

/** The 64-bit integer that a text is. */
export function numberOf(text: string): bigint | undefined {
  if (!/^\s*-?\d{1,19}\s*$/.test(text)) return undefined;
  const number = BigInt(text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** Reads the query of an address. Unknown values count as absent. */
export function readQuery(search: string): PetQuery {
  const parameters = new URLSearchParams(search);
  const status = statusFilters.find((filter) => filter === parameters.get('status'));
  const category = numberOf(parameters.get('category') ?? '');
  return { text: parameters.get('q') ?? '', status: status ?? 'all', category };
}

/** The query of an address, with its question mark; empty for the default. */
export function renderQuery({ text, status, category }: PetQuery): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (status !== 'all') parameters.set('status', status);
  if (category !== undefined) parameters.set('category', category.toString());
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
