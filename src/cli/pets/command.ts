import { Option, type Command } from 'commander';
import { petStatuses, type PetStatus } from '../../domain/pet.ts';
import { addConnectionOptions, connect, type ConnectionOptions } from '../service/connect.ts';
import { explaining } from '../service/explain.ts';
import { addListOptions, firstPageOf, type ListOptions } from '../service/list-options.ts';
import { printOne, printPages } from '../service/print.ts';
import { addExamples } from '../terminal/help.ts';
import { int64 } from '../values.ts';
import { defineChanges } from './change.ts';
import { shownPet } from './shown-pet.ts';

interface AddOptions extends ConnectionOptions {
  name: string;
  category: bigint;
  status?: PetStatus;
}

export function define(pets: Command): void {
  addConnectionOptions(pets).description(
    'List, add, show, change and remove the pets of a running service: a table on a terminal, JSON in a pipe.',
  );
  const list = addListOptions(pets.command('list').description('List pets.'), 'pets', petStatuses).action(
    (_options, command: Command) => explaining(listPets, command.optsWithGlobals()),
  );
  const add = pets
    .command('add')
    .description('Add a pet.')
    .requiredOption('--name <name>', 'Name of the pet.')
    .requiredOption('--category <id>', 'Category of the pet, an integer.', int64)
    .addOption(new Option('--status <status>', 'Status of the pet.').choices(petStatuses))
    .action((_options, command: Command) => explaining(addPet, command.optsWithGlobals()));
  const get = pets
    .command('get')
    .description('Show one pet.')
    .argument('<id>', 'Id of the pet.', int64)
    .action((id: bigint, _options, command: Command) =>
      explaining((options) => getPet(id, options), command.optsWithGlobals<ConnectionOptions>()),
    );
  const changeExamples = defineChanges(pets);
  const listExamples = ['petstore pets list --status available', 'petstore pets list --all > pets.json'];
  const addExample = 'petstore pets add --name Rex --category 1 --status available';
  addExamples(pets, ...listExamples, addExample, 'petstore pets get 1', ...changeExamples);
  addExamples(list, ...listExamples);
  addExamples(add, addExample);
  addExamples(get, 'petstore pets get 1');
}

async function listPets(options: ListOptions<PetStatus>): Promise<void> {
  const client = connect(options);
  await printPages(options, shownPet, async (next) => {
    const page = await client.listPets(next === undefined ? firstPageOf(options) : { next });
    const { pets: items, ...rest } = page;
    return { items, ...rest };
  });
}

async function addPet({ name, category, status, ...options }: AddOptions): Promise<void> {
  const pet = { name, categoryId: category, status };
  printOne(options, shownPet, await connect(options).createPet(pet));
}

async function getPet(id: bigint, options: ConnectionOptions): Promise<void> {
  // oxlint-disable-next-line typescript/no-deprecated -- it works until it is removed, and warns about that itself
  printOne(options, shownPet, await connect(options).getPet(id));
}
