import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../support/http/listening.ts';
import { runAt } from '../support/process/files.ts';
import { refusalOf } from '../support/process/refusal.ts';

describe('petstore seed', () => {
  it('adds as many plausible pets as asked, the same ones for the same seed', async () => {
    const seeded = async (...args: string[]): Promise<string[]> => {
      await using service = await openListeningService();
      const { status, stdout } = await runAt(service, ['seed', '--count', ...args]);
      expect({ status, stdout }).toEqual({
        status: 0,
        stdout: `Added ${Number(args[0]).toLocaleString('en')} pets to ${service.url}.\n`,
      });
      expect(await Array.fromAsync(service.client.categories())).toHaveLength(12);
      const pets = await Array.fromAsync(service.client.pets());
      const countOf = (wanted: string) => pets.filter((pet) => pet.status === wanted).length;
      expect((await Array.fromAsync(service.client.orders())).length).toBe(
        countOf('sold') + countOf('pending'),
      );
      return pets.map((pet) => `${pet.name} ${pet.categoryId} ${pet.status}`).toSorted();
    };
    const [one, same, other] = [await seeded('200'), await seeded('200'), await seeded('200', '--seed', '2')];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('keeps the names that numbers have, and needs none', async () => {
    await using service = await openListeningService();
    await service.client.putCategory(1n, 'Hounds');
    expect(await runAt(service, ['seed', '--count', '1'])).toMatchObject({ status: 0 });
    expect((await service.client.listCategories()).categories[0]).toEqual({ id: 1n, name: 'Hounds' });
    await using stable = await openListeningService({ stableOnly: true });
    expect(await runAt(stable, ['seed', '--count', '10'])).toMatchObject({ status: 0 });
    expect(await Array.fromAsync(stable.client.pets())).toHaveLength(10);
  });

  it.each<[string[], string]>([
    [['seed'], "Required option '--count <number>' not specified. See: petstore seed --help"],
    ...['1e3', ''].map((count): [string[], string] => [
      ['seed', '--count', count],
      `--count must be an integer from 1 to 1000000000, not "${count}".`,
    ]),
  ])('refuses %j with status 2', async (args, message) => {
    expect(await refusalOf(...args)).toEqual({ status: 2, stderr: `petstore: ${message}\n` });
  });
});
