import { Database } from 'bun:sqlite';
import type { NewPet } from '../../../src/domain/pet.ts';
import { insertSql, storedPets } from '../../../src/stores/sqlite/rows.ts';
import type { ColumnValue } from '../../../src/stores/tables.ts';
import { makeSqlitePlace } from '../store-place.ts';
import { openListeningService, type ListeningService } from './listening.ts';
import type { ServiceOptions } from './service.ts';

export interface ServiceOnFile extends ListeningService {
  /** Changes or adds a pet with this id past the service, as another process may. */
  putPet(id: bigint, pet: NewPet): void;
  removePet(id: bigint): void;
}

/** The service on an embedded store that holds these pets from the start. */
export async function openServiceOnFile(
  pets: readonly NewPet[],
  options: ServiceOptions = {},
): Promise<ServiceOnFile> {
  const place = await makeSqlitePlace();
  const service = await openListeningService({
    ...options,
    async openStore() {
      const importing = await place.openImport();
      for (let start = 0; start < pets.length; start += 1000)
        await importing.addPets(pets.slice(start, start + 1000));
      await importing.close();
      return place.open();
    },
  });
  const change = (sql: string, ...values: ColumnValue[]) => {
    using database = new Database(place.path);
    database.query(sql).run(...values);
  };
  return {
    ...service,
    putPet: (id, pet) =>
      change(insertSql(storedPets).replace('INSERT', 'REPLACE'), ...storedPets.valuesOf({ ...pet, id })),
    removePet: (id) => change('DELETE FROM pets WHERE id = ?1', id),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
