import { Option, type Command } from 'commander';
import { usageError } from '../../domain/error.ts';
import { petStatuses, type PetStatus } from '../../domain/pet.ts';
import { connect, type ConnectionOptions } from '../service/connect.ts';
import { explaining } from '../service/explain.ts';
import { printOne, wantsTable } from '../service/print.ts';
import { addExamples } from '../terminal/help.ts';
import { print } from '../terminal/output.ts';
import { visible } from '../terminal/visible.ts';
import { int64 } from '../values.ts';
import { shownPet } from './shown-pet.ts';

type StatusOrNone = PetStatus | 'none';

interface UpdateOptions extends ConnectionOptions {
  name?: string;
  category?: bigint;
  status?: StatusOrNone;
  expectStatus?: StatusOrNone;
}

interface RemoveOptions extends ConnectionOptions {
  yes?: boolean;
}

/** Defines the actions that change pets, by the experimental operations of the service. Returns their examples. */
export function defineChanges(pets: Command): string[] {
  const update = pets
    .command('update')
    .description('Change a pet (experimental: the service must run with --experimental).')
    .argument('<id>', 'Id of the pet.', int64)
    .option('--name <name>', 'The new name.')
    .option('--category <id>', 'The new category, an integer.', int64)
    .addOption(statusOption('--status', 'The new status; none removes it.'))
    .addOption(
      statusOption(
        '--expect-status',
        'Change nothing unless the pet has this status; none means that it has none.',
      ),
    )
    .action((id: bigint, _options, command: Command) =>
      explaining((options) => updatePet(id, options), command.optsWithGlobals<UpdateOptions>()),
    );
  const remove = pets
    .command('remove')
    .description('Remove a pet for good (experimental: the service must run with --experimental).')
    .argument('<id>', 'Id of the pet.', int64)
    .option('--yes', 'Do not ask for confirmation.')
    .action((id: bigint, _options, command: Command) =>
      explaining((options) => removePet(id, options), command.optsWithGlobals<RemoveOptions>()),
    );
  const sale = 'petstore pets update 1 --status sold --expect-status available';
  addExamples(
    update,
    sale,
    'petstore pets update 1 --name "Rex II" --category 2',
    'petstore pets update 1 --status none',
  );
  addExamples(remove, 'petstore pets remove 1', 'petstore pets remove 1 --yes');
  return [sale, 'petstore pets remove 1'];
}

function statusOption(flag: string, help: string): Option {
  return new Option(`${flag} <status>`, help).choices([...petStatuses, 'none']);
}

async function updatePet(id: bigint, options: UpdateOptions): Promise<void> {
  const { name, category: categoryId, status, expectStatus } = options;
  if (name === undefined && categoryId === undefined && status === undefined) {
    throw usageError('There is nothing to change.', 'Give --name, --category or --status.');
  }
  const pet = await connect(options).experimental.updatePet(id, {
    name,
    categoryId,
    status: nullIfNone(status),
    expected: expectStatus && { status: nullIfNone(expectStatus) },
  });
  printOne(options, shownPet, pet);
}

async function removePet(id: bigint, options: RemoveOptions): Promise<void> {
  const client = connect(options);
  if (!options.yes && !(await isConfirmed(id, options))) {
    print('Nothing was removed.\n');
    process.exitCode = 1;
    return;
  }
  await client.experimental.deletePet(id);
  if (wantsTable(options)) print(`Pet ${id} is removed.\n`);
}

/** Asks with the name of the pet: its id alone is easily mistyped. */
async function isConfirmed(id: bigint, options: ConnectionOptions): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw usageError('Nobody can be asked here whether to remove the pet.', 'Confirm with --yes.');
  }
  // oxlint-disable-next-line typescript/no-deprecated -- the only way to read one pet
  const { name, status = 'no status' } = await connect(options, () => {}).getPet(id);
  return confirm(visible(`Remove pet ${id}, ${JSON.stringify(name)} (${status})? This cannot be undone.`));
}

function nullIfNone(status: StatusOrNone | undefined): PetStatus | null | undefined {
  return status === 'none' ? null : status;
}
