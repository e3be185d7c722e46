import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { runCli, type CliResult } from '../support/process/process.ts';

let service: ListeningService;

beforeAll(async () => {
  service = await openListeningService();
  await service.pets.createPet({ name: 'Rex', categoryId: 1n });
});

afterAll(() => service[Symbol.asyncDispose]());

const run = (...args: string[]): Promise<CliResult> =>
  runCli(args, { env: { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.apiKey } });

const refused = (status: number, message: string): CliResult => ({
  status,
  stdout: '',
  stderr: `petstore: ${message}\n`,
});

describe('a service whose experimental operations are off', () => {
  it.each([
    [['pets', 'update', '1', '--status', 'sold']],
    [['pets', 'remove', '1', '--yes']],
    [['orders']],
    [['orders', '--status', 'sold', '--json']],
  ])('is reported with what turns them on: petstore %j', async (args) => {
    expect(await run(...args)).toEqual(
      refused(
        1,
        'The experimental operations of this service are off. Its operator turns them on with ' +
          'petstore serve --experimental, or EXPERIMENTAL=true.',
      ),
    );
  });
});

describe('a mistake in the command line', () => {
  const choices = 'Allowed choices are available, pending, sold, none.';

  it.each([
    [['pets', 'update', '1'], 'There is nothing to change. Give --name, --category or --status.'],
    [
      ['pets', 'update', '1', '--expect-status', 'sold'],
      'There is nothing to change. Give --name, --category or --status.',
    ],
    [['pets', 'update'], "Missing required argument 'id'. See: petstore pets --help"],
    [
      ['pets', 'update', '1', '--status', 'gone'],
      `Option '--status <status>' argument 'gone' is invalid. ${choices} See: petstore pets --help`,
    ],
    [
      ['pets', 'update', '1', '--status', 'sold', '--expect-status', 'gone'],
      `Option '--expect-status <status>' argument 'gone' is invalid. ${choices} See: petstore pets --help`,
    ],
    [
      ['pets', 'list', '--status', 'none'],
      "Option '--status <status>' argument 'none' is invalid. Allowed choices are available, pending, sold. See: petstore pets --help",
    ],
    [['pets', 'remove', '1'], 'Nobody can be asked here whether to remove the pet. Confirm with --yes.'],
    [
      ['orders', '--status', 'available'],
      "Option '--status <status>' argument 'available' is invalid. Allowed choices are pending, sold. See: petstore orders --help",
    ],
    [
      ['orders', '--all', '--limit', '3'],
      "Option '--limit <number>' cannot be used with option '--all'. See: petstore orders --help",
    ],
  ])('is refused with status 2: petstore %j', async (args, message) => {
    expect(await run(...args)).toEqual(refused(2, message));
  });
});
