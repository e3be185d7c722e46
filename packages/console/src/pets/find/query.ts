import { petStatuses } from '../../../../client/src/index.ts';
import type { StatusKey } from '../data/pet-collection.ts';

export type StatusFilter = StatusKey | 'all';

/** What the list shows and in which order. It lives in the address, so that a reload or a shared link shows the same. */
export interface PetQuery {
  /** What the person searches for, as typed. */
  text: string;
  status: StatusFilter;
  order: 'newest' | 'oldest';
}

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses, 'none'];

export const defaultQuery: PetQuery = { text: '', status: 'all', order: 'newest' };

/** Reads the query of an address. What it does not know counts as absent. */
export function readQuery(search: string): PetQuery {
  const parameters = new URLSearchParams(search);
  return {
    text: parameters.get('q') ?? '',
    status: statusFilters.find((filter) => filter === parameters.get('status')) ?? 'all',
    order: parameters.get('order') === 'oldest' ? 'oldest' : 'newest',
  };
}

/** The query of an address, with its question mark; empty for the default. */
export function renderQuery({ text, status, order }: PetQuery): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (status !== 'all') parameters.set('status', status);
  if (order !== 'newest') parameters.set('order', order);
  const rendered = parameters.toString();
  return rendered === '' ? '' : `?${rendered}`;
}
