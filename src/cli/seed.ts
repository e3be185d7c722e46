import type { Command } from 'commander';
import { importBatchSize } from '../stores/bulk.ts';
import { createSamplePets, sampleCategories } from '../domain/sample-pets.ts';
import { storeAt } from '../stores/open.ts';
import { audited, auditHelp, storeOptions } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples, integerFrom } from './terminal/usage.ts';
import { reportProgress } from './terminal/progress.ts';
import { asInterrupted, countOf, print } from './terminal/output.ts';

interface SeedFlags {
  count: number;
  seed: number;
  databaseUrl: string;
}

export function define(command: Command): void {
  command
    .description('Add sample pets to a store, to try things out. The same seed makes the same pets.')
    .requiredOption('--count <number>', 'How many pets to add.', integerFrom(1, 1_000_000_000))
    .option('--seed <number>', 'Where the random numbers start.', integerFrom(0, 2 ** 32 - 1), 1)
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp)
    .action(seed);
  addExamples(
    command,
    'petstore seed --count 100',
    'petstore seed --count 1000000 --database-url /tmp/large.db',
  );
}

async function seed(flags: SeedFlags): Promise<void> {
  const { count, seed: start, databaseUrl } = flags;
  await audited('seed', databaseUrl, { count, seed: start }, () => addSamplePets(flags));
}

async function addSamplePets({ count, seed: start, databaseUrl }: SeedFlags): Promise<void> {
  const makePet = createSamplePets(start);
  const store = await storeAt(databaseUrl).openImport(storeOptions(databaseUrl));
  let done = 0;
  try {
    await store.nameCategories(sampleCategories);
    using progress = reportProgress('added', count);
    while (done < count) {
      const pets = Array.from({ length: Math.min(importBatchSize, count - done) }, makePet);
      await store.addPets(pets);
      done += pets.length;
      progress.add(pets.length);
    }
  } catch (error) {
    throw asInterrupted('seeding', error, `${countOf(done, 'pet')} were added.`);
  } finally {
    await store.close();
  }
  print(`Added ${countOf(done, 'pet')} to ${storeAt(databaseUrl).name}.\n`);
}
