import { describe, expect, it } from 'bun:test';
import { outcomeOf } from '../../../support/http/calls.ts';
import { openService } from '../../../support/http/service.ts';
import { useSqliteFile } from '../../../support/sqlite-file.ts';
import { createPet } from '../../../support/changes.ts';

const place = useSqliteFile();

const names = ['Rex', 'Mimi', 'Zoë 🐈', '"quoted" \\ \n'];

describe('a pet whose bytes the disk has changed', () => {
  it('is never served, while the others are', async () => {
    const store = place.open();
    for (const name of names) await store.pets.apply(createPet({ name, categoryId: 1n }));
    await store.close();
    place.change(`UPDATE pets SET json = replace(json, 'Mimi', 'Mini') WHERE id = 2`);
    await using service = await openService({ openStore: async () => place.open() });
    expect(await outcomeOf(service.call('/v1/pets/2'))).toBe('503 unavailable');
    expect(await outcomeOf(service.call('/v1/pets'))).toBe('503 unavailable');
    expect(await outcomeOf(service.call('/v1/pets?limit=1'))).toBe('200');
    expect(await outcomeOf(service.call('/v1/pets/3'))).toBe('200');
  });

  it('is found by its checksum, wherever the change is', async () => {
    const store = place.open();
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 77n, status: 'sold' }));
    await store.close();
    const [from, to] = ['{"id":1,"name":"Rex","categoryId":77,"status":"sold"}', '{"id":1,"name":"Rex"'];
    for (const [search, replacement] of [
      ['Rex', 'Rey'],
      ['77', '78'],
      ['sold', 'solc'],
      ['"id":1', '"id":3'],
      [from, to],
    ]) {
      place.change(`UPDATE pets SET json = replace('${from}', '${search}', '${replacement}')`);
      const opened = place.open();
      expect(() => opened.pets.listPets({ limit: 1 })).toThrow('damaged');
      expect(() => opened.pets.getPet(1n)).toThrow('damaged');
      await opened.close();
    }
  });
});
