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
});
