import { createClient, isPetstoreError, type Pet, type PetstoreClient } from '../client/index.ts';
import { OperatorError, usageError } from '../error.ts';
import { int64Range, parseInt64 } from '../int64.ts';
import { pageLimit, petStatuses } from '../pet.ts';
import { choiceOf, integerOf, readArguments } from './arguments.ts';
import { petLine } from '../formats/render.ts';
import { openStandardOutput } from './terminal/sink.ts';
import { renderTable } from './terminal/table.ts';
import { visible } from './terminal/visible.ts';

const defaultUrl = 'http://127.0.0.1:8080';

const help = `Look at the pets of a running service, and add to them. On a terminal a table, in a pipe JSON.

Usage:
  petstore pets list [--status STATUS] [--limit NUMBER | --all]
  petstore pets add --name NAME --category ID [--status STATUS]
  petstore pets get <id>

Options:
  --status STATUS       ${petStatuses.join(', ')}.
  --limit NUMBER        At most so many pets, ${pageLimit.smallest} to ${pageLimit.largest}. Default: ${pageLimit.default}
  --all                 All pets, page by page.
  --name NAME           What the pet is called.
  --category ID         The category that it belongs to, an integer.
  --json                JSON on a terminal, too.
  --url ADDRESS         Where the service is. (PETSTORE_URL)
                        Default: ${defaultUrl}
  --api-key KEY         The key to call with. Other users of the machine can read a flag; prefer the variable.
                        (PETSTORE_API_KEY)

Examples:
  petstore pets list --status available
  petstore pets list --all > pets.json
  petstore pets add --name Rex --category 1 --status available
  petstore pets get 1
`;

export const options = {
  status: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  name: { type: 'string' },
  category: { type: 'string' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  'api-key': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof readValues>['values'];

const actions: Record<string, (values: Values, rest: string[]) => Promise<void>> = {
  list: listPets,
  add: addPet,
  get: getPet,
};

export async function pets(args: string[]): Promise<number> {
  const { values, positionals } = readValues(args);
  const [action, ...rest] = positionals;
  if (values.help || action === undefined) {
    process.stdout.write(help);
    return 0;
  }
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw usageError(`There is no command "pets ${action}". See: petstore pets --help`);
  try {
    await run(values, rest);
  } catch (error) {
    throw explain(error, urlOf(values));
  }
  return 0;
}

async function listPets(values: Values, rest: string[]): Promise<void> {
  if (rest.length > 0) throw usageError('This command takes no arguments: petstore pets list');
  if (values.all && values.limit !== undefined) throw usageError('Give --limit or --all, not both.');
  const status = statusOf(values);
  const limit =
    values.limit === undefined
      ? pageLimit.default
      : integerOf('--limit', values.limit, pageLimit.smallest, pageLimit.largest);
  const client = connect(values);
  const printer = openPrinter(values);
  let page = await client.listPets({ status, limit: values.all ? pageLimit.largest : limit });
  let isWanted = await printer.print(page.pets);
  while (values.all && isWanted && page.next !== undefined) {
    page = await client.listPets({ next: page.next });
    isWanted = await printer.print(page.pets);
  }
  if (isWanted) await printer.end(page.next !== undefined);
}

async function addPet(values: Values, rest: string[]): Promise<void> {
  if (values.name === undefined || values.category === undefined || rest.length > 0) {
    throw usageError('A pet has a name and a category: petstore pets add --name NAME --category ID');
  }
  const categoryId = parseInt64(values.category);
  if (categoryId === undefined) {
    throw usageError(
      `--category must be an integer from ${int64Range.smallest} to ${int64Range.largest}, not "${values.category}".`,
    );
  }
  const status = statusOf(values);
  const pet = await connect(values).createPet({ name: values.name, categoryId, ...(status && { status }) });
  printOne(values, pet);
}

async function getPet(values: Values, rest: string[]): Promise<void> {
  const [text, ...others] = rest;
  if (text === undefined || others.length > 0) throw usageError('Say which pet: petstore pets get <id>');
  const id = parseInt64(text);
  if (id === undefined) throw usageError(`An id is an integer such as 1, not "${text}".`);
  // oxlint-disable-next-line typescript/no-deprecated -- it works until it is removed, and says so by itself
  printOne(values, await connect(values).getPet(id));
}

function readValues(args: string[]) {
  return readArguments('pets', args, { options, allowPositionals: true });
}

function urlOf(values: Values): string {
  return values.url || process.env['PETSTORE_URL'] || defaultUrl;
}

function statusOf({ status }: Values) {
  return status === undefined ? undefined : choiceOf('--status', status, petStatuses);
}

function connect(values: Values): PetstoreClient {
  const baseUrl = URL.parse(urlOf(values));
  if (!baseUrl || !/^https?:$/.test(baseUrl.protocol)) {
    throw usageError(
      `--url (PETSTORE_URL) must be an address such as ${defaultUrl}, not "${urlOf(values)}".`,
    );
  }
  const apiKey = values['api-key'] || process.env['PETSTORE_API_KEY'];
  if (!apiKey) {
    throw usageError(
      'An API key is needed: set PETSTORE_API_KEY. To make one: petstore keys create --name NAME',
    );
  }
  return createClient({
    baseUrl: baseUrl.href,
    apiKey,
    // A person waits: better to hear soon that nobody answers.
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

interface Printer {
  /** False when the reader has gone. */
  print(pets: Pet[]): Promise<boolean>;
  end(hasMore: boolean): Promise<void>;
}

/** Prints page by page, so that no list is too long. */
function openPrinter(values: Values): Printer {
  const output = openStandardOutput();
  let count = 0;
  if (wantsTable(values)) {
    return {
      async print(batch) {
        const lines = renderTable([headings, ...batch.map(cellsOf)]);
        const isFirst = count === 0;
        count += batch.length;
        return count === 0 || output.write(isFirst ? lines : lines.slice(lines.indexOf('\n') + 1));
      },
      async end(hasMore) {
        if (count === 0) await output.write('There are no pets.\n');
        if (hasMore) process.stderr.write('There are more: see --limit and --all.\n');
      },
    };
  }
  return {
    print(batch) {
      const lines = batch.map((pet) => `${count++ === 0 ? '[' : ','}\n  ${jsonOf(pet)}`);
      return output.write(lines.join(''));
    },
    async end() {
      await output.write(count === 0 ? '[]\n' : '\n]\n');
    },
  };
}

function wantsTable({ json }: Values): boolean {
  return process.stdout.isTTY && !json;
}

function printOne(values: Values, pet: Pet): void {
  process.stdout.write(wantsTable(values) ? renderTable([headings, cellsOf(pet)]) : `${jsonOf(pet)}\n`);
}

/** In a pipe, the very text of the service. */
function jsonOf(pet: Pet): string {
  return process.stdout.isTTY ? visible(petLine(pet)) : petLine(pet);
}

/** What the platform calls certificates that it does not accept. */
const distrust = /CERT|SIGNATURE/;

function explain(error: unknown, url: string): unknown {
  if (!isPetstoreError(error)) return error;
  if (isPetstoreError(error, 'network', 'timeout')) {
    const { code = '' } = (error.cause ?? {}) as { code?: string };
    if (/CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not valid now (${code}). Renew it, and check the clock of this machine.`,
      );
    }
    if (distrust.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not trusted (${code}). ` +
          'Name the file of its authority in NODE_EXTRA_CA_CERTS, or call the service by the name in its certificate.',
      );
    }
    return new OperatorError(
      `No service answers at ${url}. Start one with petstore serve, or say where it is with --url.`,
    );
  }
  if (isPetstoreError(error, 'unauthorized', 'invalid_api_key')) {
    return new OperatorError(
      `${error.message} Set PETSTORE_API_KEY to a key of this service; petstore keys create --name NAME makes one.`,
    );
  }
  return new OperatorError(`${error.message} (${error.code}, request ${error.requestId})`);
}
