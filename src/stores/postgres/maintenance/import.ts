import { columnsOf, type ImportRow, importTable } from '../../tables.ts';
import { IdTakenError, PetstoreError } from '../../../domain/error.ts';
import type { ImportedPet } from '../../../domain/pet.ts';
import type { ImportStep, ImportStore } from '../../bulk.ts';
import { importEvent } from '../../../domain/event.ts';
import { refuseTakenId } from '../errors.ts';
import { addEvents } from '../events.ts';
import { petTable } from '../pets/pet-row.ts';
import { arraysOf, insertStatement, insertWithNewIds } from '../rows.ts';
import type { Query, Values } from '../session.ts';
import { type CommandOptions, openCommandSql } from './command-sql.ts';
import { moveSequence } from './sequences.ts';

const insertNew = insertWithNewIds(petTable, 'pet_ids');
const insertKept = insertStatement(petTable);

/** The sequence is no substitute: it also skips the ids of an uncommitted batch, which is then added again. */
const selectLargestId = `
  SELECT greatest((SELECT max(id) FROM pets), (SELECT nullif(largest_pet_id, 0) FROM deletions))::text AS id`;

export async function openPostgresImport(options: CommandOptions): Promise<ImportStore> {
  const sql = await openCommandSql(options);

  const change = (text: string, values: Values) => sql.write(async (query) => void query(text, values));

  return {
    async findImport(source) {
      const select = `SELECT ${columnsOf(importTable).join(', ')} FROM imports WHERE source = $1`;
      const [row] = await sql.search<ImportRow>(select, [source]);
      return row && importTable.parse(row);
    },

    addPets: (pets, step) =>
      sql.write(async (query) => {
        await addTogether(query, pets, step);
        addEvents(query, [importEvent(pets.length, Date.now())]);
      }),

    async finishImport(source, finishedAt) {
      await change(
        `INSERT INTO imports (source, added_count, finished_at) VALUES ($1, 0, $2)
         ON CONFLICT (source) DO UPDATE SET finished_at = excluded.finished_at`,
        [source, finishedAt.getTime()],
      );
    },

    async forgetImport(source) {
      await change('DELETE FROM imports WHERE source = $1', [source]);
    },

    async largestId() {
      const [row] = await sql.search<{ id: string | null }>(selectLargestId);
      return row === undefined || row.id === null ? undefined : BigInt(row.id);
    },

    close: () => sql.close(),
  };
}

async function addTogether(
  query: Query,
  pets: readonly ImportedPet[],
  step: ImportStep | undefined,
): Promise<void> {
  if (step) await moveImport(query, step, pets.length);
  const rows = pets.map((pet) => ({ id: 0n, ...pet }));
  const values = arraysOf(petTable, rows);
  const smallest = pets[0]?.id;
  if (smallest === undefined) return void (await query(insertNew, values));
  await query(insertKept, values).catch(refuseTakenId);
  await refuseDeletedIds(query, smallest);
  await moveSequence(query, 'pet_ids', rows.at(-1)?.id ?? smallest);
}

/**
 * The table alone would accept the id of a pet that was deleted after the import began. Call this after the insert,
 * which waits for a concurrent delete of an equal id to commit.
 */
async function refuseDeletedIds(query: Query, smallest: bigint): Promise<void> {
  const select = 'SELECT 1 FROM deletions WHERE largest_pet_id >= $1::bigint';
  const deleted = await query(select, [String(smallest)]);
  if (deleted.length > 0) throw new IdTakenError('This id was used before.');
}

async function moveImport(query: Query, { source, addedBefore }: ImportStep, count: number): Promise<void> {
  await query('INSERT INTO imports (source, added_count) VALUES ($1, 0) ON CONFLICT (source) DO NOTHING', [
    source,
  ]);
  const moved = await query(
    `UPDATE imports SET added_count = $3::bigint
     WHERE source = $1 AND added_count = $2::bigint AND finished_at IS NULL RETURNING 1`,
    [source, addedBefore, addedBefore + count],
  );
  if (moved.length !== 1)
    throw new PetstoreError('idempotency_conflict', 'Another process runs this import.');
}
