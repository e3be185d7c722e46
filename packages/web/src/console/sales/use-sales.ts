import { useEffect, useState } from 'preact/hooks';
import { isUnauthorized, type Order, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import type { Changes } from '../changes/pet-actions.ts';
import { startOf } from './day.ts';
import { salesOf, type Sale } from './sale.ts';

/** The newest orders, as far back as they have been read. */
interface Reading {
  day: string;
  orders: readonly Order[];
  isComplete: boolean;
  readAt: Date;
}

export interface SalesView {
  sales: readonly Sale[];
  /** True when no order of the day is missing. */
  isComplete: boolean;
  readAt: Date | undefined;
  error: unknown;
  reload: () => void;
}

/** Reads the orders back to the first midnight of the day; again on request, and after a change made here. */
export function useSales(
  client: PetstoreClient,
  day: string,
  changes: Changes | undefined,
  onRefused: () => void,
): SalesView {
  const [reading, setReading] = useState<Reading>();
  const [pets, setPets] = useState<ReadonlyMap<bigint, Pet | null>>(new Map());
  const [error, setError] = useState<unknown>();
  const [loads, setLoads] = useState(0);
  const doneCount = changes?.actions.doneCount;

  const startWork = (work: (signal: AbortSignal) => Promise<void>) => {
    const stop = new AbortController();
    work(stop.signal).catch((reason: unknown) => {
      if (stop.signal.aborted) return;
      if (isUnauthorized(reason)) onRefused();
      else setError(reason);
    });
    return () => stop.abort();
  };
  const read = async (signal: AbortSignal) => {
    const start = startOf(day);
    const orders: Order[] = [];
    const readAt = new Date();
    let next: string | undefined;
    for (let isComplete = false; !isComplete;) {
      const page = await client.listOrders(
        next === undefined ? { sort: 'newest', limit: 100, signal } : { next, signal },
      );
      orders.push(...page.orders);
      next = page.next;
      isComplete = next === undefined || page.orders.some(({ createdAt }) => createdAt < start);
      setReading({ day, orders: [...orders], isComplete, readAt });
      setError(undefined);
    }
  };
  useEffect(() => startWork(read), [client, day, loads, doneCount]);

  const sales = reading?.day === day ? salesOf(reading.orders, day, pets) : [];
  // Pets that are not known yet, and pets that were changed here.
  const isTold = (id: bigint) => changes?.notes.list.some(({ petId }) => petId === id) ?? false;
  const lookUp = async (signal: AbortSignal) => {
    const ids = new Set(sales.map(({ order }) => order.petId));
    const wanted = [...ids].filter((id) => !pets.has(id) || isTold(id));
    const find = async (id: bigint): Promise<[bigint, Pet | null]> => {
      const found = await client.searchPetsPage({ id, signal });
      return [id, found.pets[0] ?? null];
    };
    const found = await Promise.all(wanted.map(find));
    setPets((before) => new Map([...before, ...found]));
  };
  useEffect(() => startWork(lookUp), [client, day, reading]);

  return {
    sales,
    isComplete: reading?.day === day && reading.isComplete,
    readAt: reading?.readAt,
    error,
    reload: () => setLoads((before) => before + 1),
  };
}
