import type { Database } from 'bun:sqlite';
import { IdTakenError, PetstoreError, storeDamaged } from '../../../domain/error.ts';
import { importEvent } from '../../../domain/history.ts';
import { type Category, numberCategories, numbersForNewNames } from '../../../domain/category.ts';
import type { ImportedPet, NumberedPet } from '../../../domain/pet.ts';
import type { ImportStep, ImportStore } from '../../bulk.ts';
import type { MakeOptions } from '../../schema.ts';
import { type CategoryRow, type ColumnValue, type ImportRow, importTable } from '../../tables.ts';
import { openForWriting } from '../open-file.ts';
import {
  type Checked,
  createEventWriter,
  createIds,
  createInsert,
  createLastIdReader,
  insertSql,
  selectColumns,
  storedCategories,
  storedPets,
} from '../rows.ts';
import { createAttempt } from './bulk.ts';

/** A busy service may hold the lock for a while. */
const lockTimeoutMs = 60_000;

export function openSqliteImport(options: { path: string } & MakeOptions): ImportStore {
  const { path } = options;
  const { store, database } = openForWriting(path, options);
  database.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
  const attempt = createAttempt(store);
  const insert = createPetInsert(database);
  const find = database.query<ImportRow, [string]>(
    `SELECT ${selectColumns(importTable)} FROM imports WHERE source = ?1`,
  );
  const begin = database.query(
    'INSERT INTO imports (source, added_count) VALUES (?1, 0) ON CONFLICT DO NOTHING',
  );
  const move = database.query(
    `UPDATE imports SET added_count = ?3 WHERE source = ?1 AND added_count = ?2 AND finished_at IS NULL`,
  );
  const finish = database.query('UPDATE imports SET finished_at = ?2 WHERE source = ?1');
  const forget = database.query('DELETE FROM imports WHERE source = ?1');
  const readLastId = createLastIdReader(database, 'pets');
  const selectCategories = database.query<Checked<CategoryRow>, []>(
    `SELECT ${storedCategories.selected} FROM categories ORDER BY id`,
  );
  const readCategories = (): Category[] =>
    selectCategories.all().map((row) => {
      const category = storedCategories.parse(row);
      if (!category) throw storeDamaged();
      return category;
    });
  const selectCarried = database.query<{ id: string }, [bigint, bigint]>(
    'SELECT DISTINCT CAST(category_id AS TEXT) AS id FROM pets WHERE category_id BETWEEN ?1 AND ?2',
  );
  const readCarried = (pets: readonly ImportedPet[], categories: readonly Category[]): Set<bigint> => {
    const range = numbersForNewNames(pets, categories);
    const rows = range ? selectCarried.all(range.first, range.last) : [];
    return new Set(rows.map(({ id }) => BigInt(id)));
  };
  const nameCategory = database.query<unknown, ColumnValue[]>(
    `${insertSql(storedCategories)} ON CONFLICT DO NOTHING`,
  );
  const nameCategories = (categories: readonly Category[]): void => {
    for (const category of categories) nameCategory.run(...storedCategories.valuesOf(category));
  };

  /** The table alone would accept the id of a pet that a service added and deleted after the import began. */
  const refuseUsedIds = ([first]: readonly ImportedPet[]): void => {
    if (first?.id !== undefined && first.id <= readLastId()) {
      throw new IdTakenError('This id was used before.');
    }
  };

  const addPets = database.transaction((pets: readonly ImportedPet[], step?: ImportStep) => {
    if (step) {
      begin.run(step.source);
      const { changes } = move.run(step.source, step.addedBefore, step.addedBefore + pets.length);
      if (changes !== 1) throw new PetstoreError('idempotency_conflict', 'Another process runs this import.');
    }
    refuseUsedIds(pets);
    const categories = pets.some(({ categoryId }) => categoryId === undefined) ? readCategories() : [];
    const { pets: numbered, added } = numberCategories(pets, categories, readCarried(pets, categories));
    nameCategories(added);
    insert(numbered);
    return added;
  });

  return {
    findImport: (source) =>
      attempt(() => {
        const row = find.get(source);
        return row ? importTable.parse(row) : undefined;
      }),
    addPets: (pets, step) => attempt(() => addPets.immediate(pets, step)),
    nameCategories: (categories) => attempt(() => nameCategories(categories)),
    finishImport: (source, finishedAt) =>
      attempt(() => {
        // An import without pets has no row yet.
        begin.run(source);
        finish.run(source, finishedAt.getTime());
      }),
    forgetImport: (source) => attempt(() => void forget.run(source)),
    largestId: () => attempt(() => readLastId() || undefined),
    close: async () => database.close(),
  };
}

/** Adds pets and their event within the caller's transaction. */
export function createPetInsert(database: Database): (pets: readonly NumberedPet[]) => void {
  const insertPets = createInsert(database, storedPets);
  const ids = createIds(database, 'pets');
  const addEvents = createEventWriter(database);
  return (pets) => {
    ids.begin();
    insertPets(pets.map((pet) => storedPets.valuesOf({ ...pet, id: pet.id ?? ids.next() })));
    addEvents([importEvent(pets.length, Date.now())]);
  };
}
