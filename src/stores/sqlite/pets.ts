import type { Database } from 'bun:sqlite';
import { refusalError } from '../../domain/change.ts';
import { renderPet } from '../../domain/pet.ts';
import type { Readiness } from '../readiness.ts';
import { type EventStore, isScan, maxEventsRead, type OrderStore, pageOf, type PetStore } from '../store.ts';
import { type ColumnValue, eventPageOf, eventTable, type LogRow } from '../tables.ts';
import type { Freshness } from './fresh.ts';
import { type StoredOrderRow, selectColumns, storedOrders, verifiedOrder } from './rows.ts';
import { findPets, type Searcher, selectPage } from './search.ts';
import {
  damagedRow,
  type JoinedPets,
  type RenderedPet,
  selectJoinedPets,
  storedPetColumns,
  verifiedPage,
  verifiedWithId,
} from './stored-pet.ts';
import type { Writer } from './writer.ts';

/** What the parts of an open store share. */
export interface StoreParts {
  database: Database;
  writer: Writer;
  readiness: Readiness;
  searcher: Searcher;
  freshness: Freshness;
  now: () => number;
}

export function createPetStore({
  database,
  writer,
  readiness,
  searcher,
  freshness,
  now,
}: StoreParts): PetStore {
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );

  return {
    version: () => freshness.version(),

    listPets(request) {
      return freshness.read(() => {
        const { limit, status, after } = request;
        // Ids start at 1, so 0 means from the start.
        const joined = status === undefined ? selectJoined.get(after ?? 0n, limit) : null;
        const page = joined && verifiedPage(joined, limit);
        // Read pet by pet if a joined page is not possible: gaps between ids, a last page, a filter. This also names a
        // damaged pet.
        return page ?? findPets(database, { sort: 'oldest', ...request });
      });
    },

    getPet(id) {
      return freshness.read(() => {
        const pet = selectPet.get(id);
        return pet ? verifiedWithId(pet, id) : undefined;
      });
    },

    async apply(change) {
      const outcome = await writer.apply({ ...change, at: now() });
      if (outcome === 'damaged') throw damagedRow('a pet', 'id' in change ? renderPet(change.id, '') : '');
      if (typeof outcome === 'string') throw refusalError(outcome);
      return outcome;
    },

    searchPets(request, signal) {
      if (isScan(request)) return searcher.search(request, signal);
      return freshness.read(() => findPets(database, request));
    },

    async checkWritable() {
      // Throws if the store was moved.
      freshness.version();
      await readiness.check();
    },
  };
}

export function createOrderStore({ database, freshness }: StoreParts): OrderStore {
  const orderColumns = selectColumns(storedOrders);

  return {
    listOrders(request) {
      const { petId, status, returned, limit } = request;
      const conditions = [
        ['pet_id = ?', petId] as const,
        ['status = ?', status] as const,
        // Literal conditions, so that SQLite uses the partial index of returned orders.
        [
          `returned_at IS ${returned ? 'NOT ' : ''}NULL AND ?`,
          returned === undefined ? undefined : 1,
        ] as const,
      ];
      const table = { name: 'orders', columns: orderColumns };
      return freshness.read(() =>
        pageOf(selectPage<StoredOrderRow>(database, table, conditions, request), limit, verifiedOrder),
      );
    },
  };
}

/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents = `
  SELECT epoch, found.*,
    (SELECT CAST(min(id) AS TEXT) FROM events) AS oldest, (SELECT CAST(max(id) AS TEXT) FROM events) AS newest
  FROM event_log LEFT JOIN (
    SELECT ${selectColumns(eventTable)}, events.id AS place FROM (
      SELECT coalesce(?1, (SELECT min(id) FROM events) - 1) AS start
    ) JOIN events ON events.id > start AND events.id <= start + ${maxEventsRead}
    WHERE (?2 IS NULL OR pet_id = ?2) AND (?3 IS NULL OR type = ?3) ORDER BY events.id LIMIT ?4
  ) AS found ON true ORDER BY place`;

export function createEventStore({ database, freshness }: StoreParts): EventStore {
  const select = database.query<LogRow, ColumnValue[]>(selectEvents);
  return {
    // Short, because reading the end of the log takes microseconds.
    checkEveryMs: 50,

    listEvents(request) {
      const { after, petId = null, type = null } = request;
      const start = after === undefined || after === 'now' ? null : after.id;
      const limit = after === 'now' ? 0 : request.limit;
      return freshness.read(() => eventPageOf(select.all(start, petId, type, limit), request));
    },
  };
}
