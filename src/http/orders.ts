import type { OrderStore } from '../domain/store.ts';
import type { ResponseCache } from './lists/cache.ts';
import type { Handler } from './route.ts';
import { createList } from './lists/list.ts';
import { orderList } from './lists/paging.ts';

export function createOrderOperations(
  orders: OrderStore,
  cache: ResponseCache,
): Record<'listOrders', Handler> {
  return { listOrders: createList(orderList, cache, (asked) => orders.listOrders(asked)) };
}
