import type { Order, Pet } from '../../../../client/src/index.ts';
import { foldName, searchWords } from '../../../../../src/domain/fold.ts';
import { labelOf } from '../draft.ts';
import { dayOf } from './day.ts';

/** An order with what else is known about it. */
export interface Sale {
  order: Order;
  /** Null if the pet is removed; undefined while it is being looked up. */
  pet: Pet | null | undefined;
  /** The order that sold the pet after this one had made it pending. */
  soldBy: Order | undefined;
}

/** The sales of one day. The orders come newest first and reach back at least to its midnight. */
export function salesOf(
  orders: readonly Order[],
  day: string,
  pets: ReadonlyMap<bigint, Pet | null>,
): Sale[] {
  const sold = new Map<bigint, Order>();
  const sales: Sale[] = [];
  for (const order of orders) {
    const soldBy = order.status === 'pending' && !order.returnedAt ? sold.get(order.petId) : undefined;
    if (order.status === 'sold') sold.set(order.petId, order);
    if (dayOf(order.createdAt) === day) sales.push({ order, pet: pets.get(order.petId), soldBy });
  }
  return sales;
}

export function countSales(sales: readonly Sale[]): { sold: number; pending: number; returned: number } {
  const open = sales.filter(({ order, soldBy }) => !order.returnedAt && !soldBy);
  return {
    sold: open.filter(({ order }) => order.status === 'sold').length,
    pending: open.filter(({ order }) => order.status === 'pending').length,
    returned: sales.filter(({ order }) => order.returnedAt).length,
  };
}

export function nameOf({ order, pet }: Sale): string {
  if (pet === null) return `Pet ${order.petId}, removed`;
  return pet?.name.trim() ? pet.name : `Pet ${order.petId}`;
}

/** True when the name or the id of the pet has these words in it, folded as in a search of pets. */
export function isFound(sale: Sale, text: string): boolean {
  const within = foldName(`${nameOf(sale)} ${sale.order.petId}`);
  return searchWords(text).every((word) => within.includes(word));
}

/** A table for spreadsheets. A name that would be read as a formula gets an apostrophe before it. */
export function renderCsv(sales: readonly Sale[]): string {
  const cellOf = (value: string) => `"${value.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const timeOf = (date: Date | undefined) =>
    date ? `${dayOf(date)} ${date.toTimeString().slice(0, 8)}` : '';
  const lines = sales.map((sale) => {
    const { petId, status, createdAt, createdBy = '', returnedAt, returnedBy = '' } = sale.order;
    const category = sale.pet?.categoryId.toString() ?? '';
    const texts = [nameOf(sale), labelOf(status), createdBy, returnedBy].map(cellOf);
    const [name, label, till, by] = texts;
    return [timeOf(createdAt), petId, name, category, label, till, timeOf(returnedAt), by].join(',');
  });
  return ['Time,Id,Name,Category,Status,Till,Returned,Returned by', ...lines, ''].join('\r\n');
}
