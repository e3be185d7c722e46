import type { Database } from 'bun:sqlite';
import { PetstoreError } from '../error.ts';
import { fingerprintOf, type Page, type PageRequest, type PetStatus, type PetStore } from '../pet.ts';
import { translateError } from './connect.ts';
import type { Freshness } from './fresh.ts';
import { petJson } from './jobs.ts';
import type { Writer } from './writer.ts';

/** Pages kept between two writes; past this they make room for new ones. */
const maxKeptBytes = 8 * 1024 * 1024;
const maxSeenKeys = 10_000;

interface PageRow {
  json: string;
  /** Null when the page is the last one. */
  next: string | null;
}

/**
 * The pages of the current version of the file that are asked for again and again, as bytes. A page is kept
 * when it is asked for a second time: to keep every page of a walk would double the memory and help nobody.
 */
export class PageCache {
  readonly #pages = new Map<string, Page>();
  readonly #seenOnce = new Set<string>();
  #bytes = 0;

  get(key: string): Page | undefined {
    return this.#pages.get(key);
  }

  /** Takes note of a page that was read, and gives it back as it is to be used. */
  add(key: string, page: Page): Page {
    if (!this.#seenOnce.delete(key)) {
      if (this.#seenOnce.size >= maxSeenKeys) this.#seenOnce.clear();
      this.#seenOnce.add(key);
      return page;
    }
    const json = Buffer.from(page.json);
    if (json.length > maxKeptBytes) return page;
    if (this.#bytes + json.length > maxKeptBytes) this.clear();
    const kept = { ...page, json, isKept: true };
    this.#pages.set(key, kept);
    this.#bytes += json.length;
    return kept;
  }

  clear(): void {
    this.#pages.clear();
    this.#seenOnce.clear();
    this.#bytes = 0;
  }
}

export interface PetStoreParts {
  database: Database;
  writer: Writer;
  freshness: Freshness;
  pages: PageCache;
  now: () => number;
}

export function createPetStore(parts: PetStoreParts): PetStore {
  const { database, writer, freshness, pages, now } = parts;
  const selectPage = database.query<PageRow, [string, number]>(pageSql('TRUE'));
  const selectPageOfStatus = database.query<PageRow, [string, number, PetStatus]>(pageSql('status = ?3'));
  const selectPet = database.query<{ json: string }, [string]>(
    `SELECT ${petJson} AS json FROM pets WHERE id = CAST(?1 AS INTEGER)`,
  );

  const readPage = ({ limit, status, after }: PageRequest): Page => {
    // The service assigns ids from 1 up.
    const start = String(after ?? 0n);
    const row =
      status === undefined ? selectPage.get(start, limit) : selectPageOfStatus.get(start, limit, status);
    if (!row) throw new Error('The page query gave no row.');
    return { json: row.json, ...(row.next !== null && { next: BigInt(row.next) }) };
  };

  return {
    listPets(request) {
      try {
        freshness.check();
        const key = `${request.limit} ${request.status ?? ''} ${request.after ?? ''}`;
        const kept = pages.get(key);
        if (kept) return kept;
        return pages.add(key, readPage(request));
      } catch (error) {
        throw translateError(error);
      }
    },

    getPet(id) {
      try {
        return selectPet.get(String(id))?.json;
      } catch (error) {
        throw translateError(error);
      }
    },

    async createPet(pet, idempotency) {
      const result = await writer.run({
        kind: 'create-pet',
        name: pet.name,
        categoryId: String(pet.categoryId),
        status: pet.status ?? null,
        ...(idempotency && {
          idempotency: { ...idempotency, requestHash: fingerprintOf(pet), now: now() },
        }),
      });
      if (result === 'conflict') {
        throw new PetstoreError(
          'idempotency_conflict',
          'This Idempotency-Key was used for another animal. Send a new key for a new animal.',
        );
      }
      if (!result) throw new Error('A create gave no animal.');
      return { ...result, id: BigInt(result.id) };
    },

    async checkWritable() {
      await writer.run({ kind: 'probe', now: now() });
    },
  };
}

/**
 * One row per page: the rendered array, and its last id unless that is the last id of all.
 * The inner query is ordered and limited, which makes SQLite hand its rows to the aggregate in order.
 */
function pageSql(filter: string): string {
  return `
    SELECT json_group_array(${petJson}) AS json,
      CAST(nullif(max(id), (SELECT max(id) FROM pets WHERE ${filter})) AS TEXT) AS next
    FROM (SELECT * FROM pets WHERE ${filter} AND id > CAST(?1 AS INTEGER) ORDER BY id LIMIT ?2)`;
}
