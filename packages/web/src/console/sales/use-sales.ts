import { useEffect, useState } from 'preact/hooks';
import { isUnauthorized, type Order } from '../../../../client/src/index.ts';
import { startOf } from '../day.ts';
import type { Till } from '../till.ts';
import { salesOf, type Sale } from './sale.ts';

/** The newest sales of a day, as far back as they have been read. */
interface Reading {
  sales: readonly Sale[];
  /** True when no order of the day is missing. */
  isComplete: boolean;
  readAt: Date | undefined;
}

export interface SalesView extends Reading {
  error: unknown;
  reload: () => void;
}

const unread: Reading = { sales: [], isComplete: false, readAt: undefined };

/** Reads the orders of a day page by page; again on request, and after a change made here. */
export function useSales({ client, outbox, onRefused }: Till, day: string): SalesView {
  const { doneCount } = outbox;
  const [reading, setReading] = useState<Reading & { day: string }>();
  const [error, setError] = useState<unknown>();
  const [loads, setLoads] = useState(0);

  const read = async (signal: AbortSignal) => {
    const filter = { since: startOf(day), until: startOf(day, 1), sort: 'newest', limit: 100 } as const;
    const readAt = new Date();
    const orders: Order[] = [];
    let next: string | undefined;
    do {
      const page = await client.listOrders(next === undefined ? { ...filter, signal } : { next, signal });
      orders.push(...page.orders);
      next = page.next;
      const latest = { day, sales: salesOf(orders), isComplete: next === undefined, readAt };
      // The first page is shown at once, and then nothing is drawn again before the last.
      setReading((before) => (latest.isComplete || before?.day !== day ? latest : before));
      setError(undefined);
    } while (next !== undefined);
  };
  useEffect(() => {
    const stop = new AbortController();
    read(stop.signal).catch((reason: unknown) => {
      if (stop.signal.aborted) return;
      if (isUnauthorized(reason)) onRefused();
      else setError(reason);
    });
    return () => stop.abort();
  }, [client, day, loads, doneCount]);

  return {
    ...(reading?.day === day ? reading : unread),
    error,
    reload: () => setLoads((before) => before + 1),
  };
}
