import type { Order, Pet } from '../../../../client/src/index.ts';
import { foldName, searchWords } from '../../../../../src/domain/fold.ts';
import type { CategoryNames } from '../categories/category-names.ts';
import { nameOf } from '../changes/words.ts';
import { labelOf } from '../draft.ts';
import { dayOf } from '../day.ts';

/** An order with what else is known about it. */
export interface Sale {
  order: Order;
  /** The order that sold the pet after this one had made it pending, on the same day. */
  soldBy: Order | undefined;
}

/** The orders come newest first. */
export function salesOf(orders: readonly Order[]): Sale[] {
  const sold = new Map<bigint, Order>();
  return orders.map((order) => {
    const soldBy = order.status === 'pending' && !order.returnedAt ? sold.get(order.petId) : undefined;
    if (order.status === 'sold') sold.set(order.petId, order);
    return { order, soldBy };
  });
}

/** The pet at the time of the order. */
export function petOf({ petId, name = '', categoryId = 0n }: Order): Pet {
  return { id: petId, name, categoryId };
}

export interface Totals {
  sold: number;
  pending: number;
  returned: number;
}

export function countSales(sales: readonly Sale[]): Totals {
  const open = sales.filter(({ order, soldBy }) => !order.returnedAt && !soldBy);
  return {
    sold: open.filter(({ order }) => order.status === 'sold').length,
    pending: open.filter(({ order }) => order.status === 'pending').length,
    returned: sales.filter(({ order }) => order.returnedAt).length,
  };
}

/** The totals of each till or category, sorted by its text. */
export function countBy(
  sales: readonly Sale[],
  textOf: (order: Order) => string | undefined,
): (Totals & { text: string })[] {
  const groups = new Map<string, Sale[]>();
  for (const sale of sales) {
    const text = textOf(sale.order) ?? 'Not recorded';
    const group = groups.get(text);
    if (group) group.push(sale);
    else groups.set(text, [sale]);
  }
  return Array.from(groups, ([text, group]) => ({ text, ...countSales(group) })).toSorted((one, other) =>
    one.text.localeCompare(other.text, 'en', { numeric: true }),
  );
}

/** True when the pet's name, its id or its category has these words in it, folded as in a search of pets. */
export function isFound({ order }: Sale, text: string, names: CategoryNames): boolean {
  const { petId, categoryId } = order;
  const category = categoryId === undefined ? '' : (names.nameOf(categoryId) ?? '');
  const within = foldName(`${nameOf(petOf(order))} ${petId} ${category}`);
  return searchWords(text).every((word) => within.includes(word));
}

/**
 * A table that Excel opens: with a byte order mark, and with semicolons in locales where the comma is the decimal sign.
 * A text that would be read as a formula gets an apostrophe before it.
 */
export function renderCsv(sales: readonly Sale[], tellCategory: (id: bigint) => string): string {
  const separator = (1.5).toLocaleString().includes(',') ? ';' : ',';
  const cellOf = (value: string) =>
    `"${value.replace(/^(?!-\d+$)[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const timeOf = (date: Date | undefined) =>
    date ? `${dayOf(date)} ${date.toTimeString().slice(0, 8)}` : '';
  const lines = sales.map(({ order }) => {
    const { petId, categoryId, status, createdAt, createdBy = '', returnedAt, returnedBy = '' } = order;
    const [name, category, label, till, by] = [
      nameOf(petOf(order)),
      categoryId === undefined ? '' : tellCategory(categoryId),
      ...[labelOf(status), createdBy, returnedBy],
    ].map(cellOf);
    return [timeOf(createdAt), petId, name, category, label, till, timeOf(returnedAt), by];
  });
  const titles = ['Time', 'Id', 'Name', 'Category', 'Status', 'Till', 'Returned', 'Returned by'];
  return `\uFEFF${[titles, ...lines].map((cells) => `${cells.join(separator)}\r\n`).join('')}`;
}
