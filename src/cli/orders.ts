import type { Command } from 'commander';
import { orderStatuses, renderOrder, type Order, type OrderStatus } from '../domain/order.ts';
import { addConnectionOptions, connect } from './service/connect.ts';
import { explaining } from './service/explain.ts';
import { addListOptions, firstPageOf, type ListOptions } from './service/list-options.ts';
import { printPages, type Shown } from './service/print.ts';
import { addExamples } from './terminal/help.ts';

export function define(orders: Command): void {
  orders
    .description(
      'List the orders of a running service: one for each time a pet became pending or sold. A table on a terminal, ' +
        'JSON in a pipe. Experimental: the service must run with --experimental.',
    )
    .action((_options, command: Command) => explaining(listOrders, command.optsWithGlobals(), 'not_found'));
  addConnectionOptions(addListOptions(orders, 'orders', orderStatuses));
  addExamples(orders, 'petstore orders', 'petstore orders --status sold --all --json');
}

async function listOrders(options: ListOptions<OrderStatus>): Promise<void> {
  const { experimental } = connect(options);
  await printPages(options, shownOrder, async (next) => {
    const page = await experimental.listOrders(next === undefined ? firstPageOf(options) : { next });
    const { orders: items, ...rest } = page;
    return { items, ...rest };
  });
}

const shownOrder: Shown<Order> = {
  plural: 'orders',
  headings: ['ID', 'PET', 'STATUS', 'CREATED (UTC)'],
  cellsOf: ({ id, petId, status, createdAt }) => [
    `${id}`,
    `${petId}`,
    status,
    createdAt.toISOString().slice(0, 19).replace('T', ' '),
  ],
  jsonOf: renderOrder,
};
