import { Option, type Command } from 'commander';
import { createClient, isPetstoreError, type Pet, type PetstoreClient } from '../../client/index.ts';
import { OperatorError, usageError } from '../../error.ts';
import { petLine } from '../../formats/record.ts';
import { pageLimit, petStatuses, type PetStatus } from '../../pet.ts';
import { Setting } from '../settings.ts';
import { addExamples } from '../terminal/help.ts';
import { renderTable } from '../terminal/output.ts';
import { openStandardOutput } from '../terminal/sink.ts';
import { visible } from '../terminal/visible.ts';
import { int64, integerFrom } from '../values.ts';

const defaultUrl = 'http://127.0.0.1:8080';
const urlSetting = new Setting('PETSTORE_URL', '<address>', defaultUrl, 'The service.', 'url');
const keySetting = new Setting(
  'PETSTORE_API_KEY',
  '<key>',
  '',
  'The key to call with. Other users of the machine can see flags; prefer the variable.',
  'api-key',
);

interface ConnectionOptions {
  json?: boolean;
  url: string;
  apiKey?: string;
}

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
  pets
    .description('List, add and show the pets of a running service: a table on a terminal, JSON in a pipe.')
    .option('--json', 'Print JSON on a terminal, too.')
    .addOption(urlSetting)
    .addOption(keySetting);
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

/** Prints page by page, so that a list of any length fits in memory. */
async function listPets(options: ListOptions): Promise<void> {
  const client = connect(options);
  const write = openStandardOutput();
  const render = wantsTable(options) ? renderRows : renderElements;
  let page = await client.listPets({
    status: options.status,
    limit: options.all ? pageLimit.largest : options.limit,
  });
  let count = page.pets.length;
  let isWanted = await write(render(page.pets, true));
  while (options.all && isWanted && page.next !== undefined) {
    page = await client.listPets({ next: page.next });
    count += page.pets.length;
    isWanted = await write(render(page.pets, false));
  }
  if (!isWanted) return;
  if (render === renderElements) await write(count === 0 ? '[]\n' : '\n]\n');
  else if (count === 0) await write('There are no pets.\n');
  else if (page.next !== undefined) process.stderr.write('There are more: see --limit and --all.\n');
}

/** A part of a table; the first has the headings. */
function renderRows(pets: Pet[], isFirst: boolean): string {
  const lines = renderTable([headings, ...pets.map(cellsOf)]);
  if (pets.length === 0) return '';
  return isFirst ? lines : lines.slice(lines.indexOf('\n') + 1);
}

/** A part of a JSON array; its end is not included. */
function renderElements(pets: Pet[], isFirst: boolean): string {
  const lines = pets.map((pet, index) => `${isFirst && index === 0 ? '[' : ','}\n  ${jsonOf(pet)}`);
  return lines.join('');
}

async function addPet({ name, category, status, ...options }: AddOptions): Promise<void> {
  const pet = { name, categoryId: category, ...(status && { status }) };
  printOne(options, await connect(options).createPet(pet));
}

async function getPet(id: bigint, options: ConnectionOptions): Promise<void> {
  // oxlint-disable-next-line typescript/no-deprecated -- it works until it is removed, and warns about that itself
  printOne(options, await connect(options).getPet(id));
}

function connect({ url, apiKey }: ConnectionOptions): PetstoreClient {
  const baseUrl = URL.parse(url);
  if (!baseUrl || !/^https?:$/.test(baseUrl.protocol)) {
    throw usageError(`--url (PETSTORE_URL) must be an address such as ${defaultUrl}, not "${url}".`);
  }
  if (!apiKey) {
    throw usageError(
      'An API key is needed.',
      'Set PETSTORE_API_KEY. To create one: petstore keys create --name NAME',
    );
  }
  return createClient({
    baseUrl: baseUrl.href,
    apiKey,
    // A person is waiting: give up soon.
    retryForMs: 2000,
    onDeprecation: ({ sunsetAt }) => {
      const date = sunsetAt ? ` on ${sunsetAt.toISOString().slice(0, 10)}` : '';
      process.stderr.write(
        `The service will remove this operation${date}. Use petstore pets list --status STATUS.\n`,
      );
    },
  });
}

const headings = ['ID', 'NAME', 'CATEGORY', 'STATUS'];
const cellsOf = ({ id, name, categoryId, status }: Pet) => [`${id}`, name, `${categoryId}`, status ?? '-'];

function wantsTable({ json }: ConnectionOptions): boolean {
  return process.stdout.isTTY && !json;
}

function printOne(options: ConnectionOptions, pet: Pet): void {
  process.stdout.write(wantsTable(options) ? renderTable([headings, cellsOf(pet)]) : `${jsonOf(pet)}\n`);
}

/** In a pipe, exactly the text of the service. */
function jsonOf(pet: Pet): string {
  return process.stdout.isTTY ? visible(petLine(pet)) : petLine(pet);
}

/** Names of the runtime's errors for certificates that it does not accept. */
const invalidNow = /CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/;
const untrusted = /CERT|SIGNATURE/;

/** Runs an action and turns errors of the client into errors for the operator. */
async function explaining<Options extends ConnectionOptions>(
  action: (options: Options) => Promise<void>,
  options: Options,
): Promise<void> {
  try {
    await action(options);
  } catch (error) {
    throw explain(error, options.url);
  }
}

function explain(error: unknown, url: string): unknown {
  if (!isPetstoreError(error)) return error;
  if (isPetstoreError(error, 'network', 'timeout')) {
    const { code = '' } = (error.cause ?? {}) as { code?: string };
    if (invalidNow.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not valid now (${code}).`,
        'Renew it, and check the clock of this machine.',
      );
    }
    if (untrusted.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not trusted (${code}).`,
        'Name the file of its authority in NODE_EXTRA_CA_CERTS, or call the service by the name in its certificate.',
      );
    }
    return new OperatorError(
      `No service responds at ${url}.`,
      'Start one with petstore serve, or name another address with --url.',
    );
  }
  if (isPetstoreError(error, 'unauthorized', 'invalid_api_key')) {
    return new OperatorError(
      error.message,
      'Set PETSTORE_API_KEY to a key of this service; petstore keys create --name NAME creates one.',
    );
  }
  return new OperatorError(`${error.message} (${error.code}, request ${error.requestId})`);
}
