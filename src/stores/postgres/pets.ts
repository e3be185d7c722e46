import { renderCategory } from '../../domain/category.ts';
import { int64Range } from '../../domain/int64.ts';
import { renderOrder } from '../../domain/history.ts';
import {
  anyTime,
  type EventPage,
  type EventStore,
  isScan,
  maxEventsRead,
  type OrderStore,
  pageOf,
  type PetStore,
  type SearchRequest,
} from '../store.ts';
import {
  type CategoryRow,
  categoryTable,
  columnsOf,
  eventPageOf,
  eventTable,
  type LogRow,
  type OrderRow,
  orderTable,
} from '../tables.ts';
import { createPageReader, createReads, createSharedRead } from './reads.ts';
import { petJsonOf, type PetRow, petRowTypes, selectPetRow } from './rows.ts';
import type { Statement } from './session.ts';
import type { Sql } from './sessions.ts';

const selectPets = {
  name: 'select-pets',
  text: `SELECT place::integer, ${selectPetRow}
    FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, place) JOIN pets USING (id)`,
};

/** The smallest int64 may be a number, too, so that no `id >` starts the list. */
const selectCategories = {
  name: 'select-categories',
  text: `SELECT id, name FROM categories WHERE id >= $1::bigint AND id IS DISTINCT FROM $2::bigint
    ORDER BY id LIMIT $3::integer`,
};

export function createPetReads(sql: Sql): Omit<PetStore, 'apply' | 'areWritesFailing'> {
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

    async listCategories({ limit, after }) {
      const values = [String(after ?? int64Range.smallest), after?.toString() ?? null, limit + 1];
      const rows = await sql.read<CategoryRow>(selectCategories, values);
      return pageOf(rows, limit, (row) => renderCategory(categoryTable.parse(row)));
    },

    async searchPets({ sort = 'newest', ...given }, signal) {
      const request = { sort, ...given };
      const isSlow = isScan(request);
      if (request.id === undefined && !isSlow) return readPage(request);
      const { statement, values } = searchStatement(request);
      // One without an index runs on its own session.
      const rows = isSlow
        ? await sql.search<PetRow>(statement, values, signal)
        : await sql.read<PetRow>(statement, values);
      return pageOf(rows, request.limit, petJsonOf);
    },
  };
}

export function createOrderStore(sql: Sql): OrderStore {
  return {
    listOrders: createPageReader(sql, {
      table: 'orders',
      columns: columnsOf(orderTable).join(', '),
      types: orderTable.columns,
      asked: {
        wanted_pet: { type: 'bigint', valueOf: ({ petId }) => petId?.toString() ?? null },
        wanted_returned: { type: 'boolean', valueOf: ({ returned }) => returned ?? null },
        since: { type: 'bigint', valueOf: ({ since }) => since ?? anyTime.since },
        until: { type: 'bigint', valueOf: ({ until }) => until ?? anyTime.until },
      },
      filter: `coalesce(status = wanted_status, true)
        AND coalesce((returned_at IS NOT NULL) = wanted_returned, true)
        AND coalesce(created_at >= since AND created_at < until, true)`,
      render: (row: OrderRow) => renderOrder(orderTable.parse(row)),
    }),
  };
}

/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents = {
  name: 'select-events',
  text: `
    SELECT log.*, found.* FROM (
      SELECT epoch, (SELECT min(id) FROM events) AS oldest, (SELECT max(id) FROM events) AS newest FROM event_log
    ) AS log LEFT JOIN LATERAL (
      SELECT ${columnsOf(eventTable).join(', ')} FROM events
      WHERE id > coalesce($1::bigint, oldest - 1) AND id <= coalesce($1::bigint, oldest - 1) + ${maxEventsRead}
        AND ($2::bigint IS NULL OR pet_id = $2::bigint) AND ($3::text IS NULL OR type = $3)
      ORDER BY id LIMIT $4::integer
    ) AS found ON true ORDER BY found.id`,
};
/** Behind it, adding to a position would overflow. No log is that long. */
const farthest = int64Range.largest - BigInt(maxEventsRead);

export function createEventStore(sql: Sql): EventStore {
  const share = createSharedRead<EventPage>();
  return {
    checkEveryMs: 250,

    listEvents(request) {
      const { after, petId, type = null } = request;
      const start =
        after === undefined || after === 'now' ? null : String(after.id > farthest ? farthest : after.id);
      const limit = after === 'now' ? 0 : request.limit;
      const values = [start, petId?.toString() ?? null, type, limit];
      const epoch = typeof after === 'object' ? after.epoch : after;
      return share(JSON.stringify([epoch, ...values]), async () =>
        eventPageOf(await sql.read<LogRow>(selectEvents, values), request),
      );
    },
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
