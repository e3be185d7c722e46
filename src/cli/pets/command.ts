import { Option, type Command } from 'commander';
import type { Pet } from '../../client/index.ts';
import { petLine } from '../../formats/record.ts';
import { pageLimit, petStatuses, type PetStatus } from '../../pet.ts';
import { addConnectionOptions, connect, type ConnectionOptions } from '../service/connect.ts';
import { explaining } from '../service/explain.ts';
import { printOne, printPages, type Shown } from '../service/print.ts';
import { addExamples } from '../terminal/help.ts';
import { int64, integerFrom } from '../values.ts';

interface ListOptions extends ConnectionOptions {
  status?: PetStatus;
  limit: number;
  all?: boolean;
}

interface AddOptions extends ConnectionOptions {
  name: string;
  category: bigint;
  status?: PetStatus;
}

export function define(pets: Command): void {
  addConnectionOptions(pets).description(
    'List, add and show the pets of a running service: a table on a terminal, JSON in a pipe.',
  );
  const list = pets
    .command('list')
    .description('List pets.')
    .addOption(statusOption('Only pets with this status.'))
    .addOption(
      new Option('--limit <number>', `How many pets at most, ${pageLimit.smallest} to ${pageLimit.largest}.`)
        .argParser(integerFrom(pageLimit.smallest, pageLimit.largest))
        .default(pageLimit.default)
        .conflicts('all'),
    )
    .option('--all', 'All pets, page by page.')
    .action((_options, command: Command) => explaining(listPets, command.optsWithGlobals()));
  const add = pets
    .command('add')
    .description('Add a pet.')
    .requiredOption('--name <name>', 'Name of the pet.')
    .requiredOption('--category <id>', 'Category of the pet, an integer.', int64)
    .addOption(statusOption('Status of the pet.'))
    .action((_options, command: Command) => explaining(addPet, command.optsWithGlobals()));
  const get = pets
    .command('get')
    .description('Show one pet.')
    .argument('<id>', 'Id of the pet.', int64)
    .action((id: bigint, _options, command: Command) =>
      explaining((options) => getPet(id, options), command.optsWithGlobals<ConnectionOptions>()),
    );
  const listExamples = ['petstore pets list --status available', 'petstore pets list --all > pets.json'];
  const addExample = 'petstore pets add --name Rex --category 1 --status available';
  addExamples(pets, ...listExamples, addExample, 'petstore pets get 1');
  addExamples(list, ...listExamples);
  addExamples(add, addExample);
  addExamples(get, 'petstore pets get 1');
}

function statusOption(help: string): Option {
  return new Option('--status <status>', help).choices(petStatuses);
}

async function listPets(options: ListOptions): Promise<void> {
  const client = connect(options);
  const { status, all } = options;
  const limit = all ? pageLimit.largest : options.limit;
  await printPages(options, shownPet, async (next) => {
    const { pets: items, ...rest } = await client.listPets(next === undefined ? { status, limit } : { next });
    return { items, ...rest };
  });
}

async function addPet({ name, category, status, ...options }: AddOptions): Promise<void> {
  const pet = { name, categoryId: category, ...(status && { status }) };
  printOne(options, shownPet, await connect(options).createPet(pet));
}

async function getPet(id: bigint, options: ConnectionOptions): Promise<void> {
  // oxlint-disable-next-line typescript/no-deprecated -- it works until it is removed, and warns about that itself
  printOne(options, shownPet, await connect(options).getPet(id));
}

const shownPet: Shown<Pet> = {
  plural: 'pets',
  headings: ['ID', 'NAME', 'CATEGORY', 'STATUS'],
  cellsOf: ({ id, name, categoryId, status }) => [`${id}`, name, `${categoryId}`, status ?? '-'],
  jsonOf: petLine,
};
