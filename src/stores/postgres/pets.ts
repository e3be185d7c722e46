import { type Change, type Outcome, refusalError, type TimedChange } from '../../domain/change.ts';
import { renderCategory } from '../../domain/category.ts';
import { int64Range } from '../../domain/int64.ts';
import { renderOrder } from '../../domain/order.ts';
import type { Registry } from '../../metrics/registry.ts';
import { type Batcher, createBatcher, createWriteMetrics, type WriteMetrics } from '../batcher.ts';
import { isScan, type OrderStore, type Page, pageOf, type PetStore, type SearchRequest } from '../store.ts';
import { type CategoryRow, categoryTable, columnsOf, type OrderRow, orderTable } from '../tables.ts';
import { applyBatch } from './apply.ts';
import { isStoreDown } from './errors.ts';
import { createExpiry } from './event-log.ts';
import { createPageReader, createReads, createSharedRead, type PageReader } from './reads.ts';
import { petJsonOf, type PetRow, petRowTypes, selectPetRow } from './rows.ts';
import { limits, type Statement } from './session.ts';
import type { Sql } from './sessions.ts';

const selectPets = {
  name: 'select-pets',
  text: `SELECT place::integer, ${selectPetRow}
    FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, place) JOIN pets USING (id)`,
};

interface PetStoreOptions {
  checkWritable: PetStore['checkWritable'];
  now: () => number;
  maxQueued: number;
  metrics: Registry | undefined;
}

const createAdvice =
  'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.';
const changeAdvice = 'Read it again to see whether it has changed.';
const mebibyte = 1024 * 1024;
/** Everything in a change but its name is small. */
const size = { of: nameLength, maxPerBatch: mebibyte, maxWaiting: 32 * mebibyte };

/** `close` refuses new writes and waits for the pending ones. */
export function createPetStore(sql: Sql, options: PetStoreOptions): PetStore & { close(): Promise<void> } {
  const { checkWritable, now, maxQueued, metrics: registry } = options;
  const metrics: WriteMetrics | undefined =
    registry &&
    createWriteMetrics(registry, {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(...queues.map(({ length }) => length)),
      capacity: maxQueued,
    });
  const expire = createExpiry(sql, now);
  const createQueue = (advice: string): Batcher<TimedChange, Outcome> =>
    createBatcher((batch) => sql.write((query) => applyBatch(query, batch), advice).finally(expire), {
      ...{ maxLength: maxQueued, maxWaitMs: limits.queueMs, size, isStoreDown, metrics },
    });
  // Apart, so that a create never waits for a pet that another session holds, nor a sale for the categories.
  const creates = createQueue(createAdvice);
  const changes = createQueue(changeAdvice);
  const categories = createQueue(changeAdvice);
  const queues = [creates, changes, categories];
  const queueOf = ({ kind }: Change): Batcher<TimedChange, Outcome> => {
    if (kind === 'create-pet') return creates;
    return kind === 'update-pet' || kind === 'delete-pet' ? changes : categories;
  };
  const readPage = createPageReader(sql, {
    table: 'pets',
    columns: selectPetRow,
    types: petRowTypes,
    render: petJsonOf,
  });

  return {
    // Undefined, because asking the server would take as long as reading a page.
    version: () => undefined,

    listPets: readPage,

    getPet: createReads(sql, {
      statement: selectPets,
      valuesOf: (id: bigint) => [String(id)],
      resultOf: (row: PetRow | undefined) => row && petJsonOf(row),
    }),

    listCategories: createCategoryList(sql),

    async apply(change) {
      const outcome = await queueOf(change).add({ ...change, at: now() });
      if (typeof outcome === 'string') throw refusalError(outcome, change);
      return outcome;
    },

    searchPets: createSearch(sql, readPage),

    checkWritable,

    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

export function createOrderStore(sql: Sql): OrderStore {
  return {
    listOrders: createPageReader(sql, {
      table: 'orders',
      columns: columnsOf(orderTable).join(', '),
      types: orderTable.columns,
      filter: `coalesce(status = wanted_status, true)
        AND coalesce((returned_at IS NOT NULL) = wanted_returned, true)
        AND coalesce(created_at >= since AND created_at < until, true)`,
      render: (row: OrderRow) => renderOrder(orderTable.parse(row)),
    }),
  };
}

/** The smallest int64 may be a number, too, so that no `id >` starts the list. */
const selectCategories = {
  name: 'select-categories',
  text: `SELECT id, name FROM categories WHERE id >= $1::bigint AND id IS DISTINCT FROM $2::bigint
    ORDER BY id LIMIT $3::integer`,
};

function createCategoryList(sql: Sql): PetStore['listCategories'] {
  const share = createSharedRead<Page>();
  return ({ limit, after }) => {
    const values = [String(after ?? int64Range.smallest), after?.toString() ?? null, limit + 1];
    return share(values.join(' '), async () =>
      pageOf(await sql.read<CategoryRow>(selectCategories, values), limit, (row) =>
        renderCategory(categoryTable.parse(row)),
      ),
    );
  };
}

function nameLength(change: TimedChange): number {
  if (change.kind === 'create-pet') return change.pet.name.length;
  return change.kind === 'update-pet' ? (change.changes.name?.length ?? 0) : 0;
}

/** Searches use an index where there is one; the others run on their own session. */
function createSearch(sql: Sql, readPage: PageReader): PetStore['searchPets'] {
  const share = createSharedRead<Page>();
  /** Each caller that has neither left nor got its page, with the key of its search. */
  const callers = new Map<object, string>();

  return ({ sort = 'newest', ...given }, signal) => {
    const request = { sort, ...given };
    if (request.id === undefined && !isScan(request)) return readPage(request);
    const { statement, values } = searchStatement(request);
    const key = JSON.stringify(values) + statement.text;
    const caller = {};
    const leave = (): void => void callers.delete(caller);
    callers.set(caller, key);
    signal?.addEventListener('abort', leave);
    const isWanted = (): boolean => callers.values().some((wanted) => wanted === key);
    return share(key, async () => {
      const rows = isScan(request)
        ? await sql.search<PetRow>(statement, values, isWanted)
        : await sql.read<PetRow>(statement, values);
      return pageOf(rows, request.limit, petJsonOf);
    }).finally(leave);
  };
}

/** The statement has no name, because there are too many kinds to keep a plan for each. */
function searchStatement(request: SearchRequest): { statement: Statement; values: string[] } {
  const { limit, words = [], id, categoryId, status, sort, after } = request;
  const values: string[] = [];
  const conditions: string[] = [];
  const add = (
    value: { toString(): string } | undefined,
    conditionOn: (parameter: string) => string,
  ): void => {
    if (value !== undefined) conditions.push(conditionOn(`$${values.push(String(value))}`));
  };
  add(id, (parameter) => `id = ${parameter}::bigint`);
  add(categoryId, (parameter) => `category_id = ${parameter}::bigint`);
  add(status, (parameter) => `status = ${parameter}`);
  add(after, (parameter) => `id ${sort === 'newest' ? '<' : '>'} ${parameter}::bigint`);
  for (const word of words)
    add(`%${word.replace(/[\\%_]/g, '\\$&')}%`, (parameter) => `folded_name LIKE ${parameter}`);
  const text = `SELECT ${selectPetRow} FROM pets WHERE ${conditions.join(' AND ')}
    ORDER BY pets.id ${sort === 'newest' ? 'DESC' : ''} LIMIT ${limit + 1}`;
  return { statement: { text }, values };
}
