import type { OrderStore } from '../domain/store.ts';
import type { ResponseCache } from './cache.ts';
import type { Handler } from './endpoint.ts';
import { createList } from './list.ts';
import { orderList } from './paging.ts';

export function createOrderOperations(
  orders: OrderStore,
  cache: ResponseCache,
): Record<'listOrders', Handler> {
  return { listOrders: createList(orderList, cache, (asked) => orders.listOrders(asked)) };
}
