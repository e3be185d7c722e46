import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { fixedKey, runCli, startService, type CliResult } from '../support/process/process.ts';
import { runOnTerminal } from '../support/process/terminal.ts';

let service: ListeningService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await openListeningService();
  env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.apiKey };
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const run = (...args: string[]): Promise<CliResult> => runCli(['pets', ...args], { env });

describe('petstore pets add', () => {
  it('takes a negative number as a value', async () => {
    const { stdout } = await run('add', '--name', 'Exact', '--category', '-9223372036854775808');
    expect(stdout).toContain('"categoryId":-9223372036854775808');
    const { status, stderr } = await run('get', '-9223372036854775808', '--json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('(not_found, ') });
  });

  it.each(['-9223372036854775808', '9223372036854775807', '9007199254740993', '0'])(
    'keeps every digit of the category %s',
    async (category) => {
      const { status, stdout, stderr } = await run('add', '--name', 'Exact', `--category=${category}`);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^\\{"id":\\d+,"name":"Exact","categoryId":${category}\\}\\n$`));
    },
  );

  it('prints exactly the JSON of the service', async () => {
    const name = 'Ünïcode "quoted" \\ 🐾\n';
    const { stdout } = await run('add', '--name', name, '--category', '7', '--status', 'pending');
    const id = /^\{"id":(\d+),/.exec(stdout)?.[1];
    const answer = await service.call(`/v1/pets/${id}`);
    expect(stdout).toBe(`${await answer.text()}\n`);
  });

  it.each([
    [['add', '--name', 'A'], "Required option '--category <id>' not specified. See: petstore pets --help"],
    [
      ['add', '--name', '--category', '1'],
      "Required option '--category <id>' not specified. See: petstore pets --help",
    ],
    [
      ['add', '--category', '1', '--name', '--status', 'sold'],
      "Too many arguments for 'add'. Expected 0 arguments but got 1. See: petstore pets --help",
    ],
    [
      ['add', '--name', 'A', '--category', '9223372036854775808'],
      "Option '--category <id>' argument '9223372036854775808' is invalid. It must be an integer from -9223372036854775808 to 9223372036854775807. See: petstore pets --help",
    ],
    [
      ['add', '--name', 'A', '--category', '1', '--status', 'gone'],
      "Option '--status <status>' argument 'gone' is invalid. Allowed choices are available, pending, sold. See: petstore pets --help",
    ],
    [
      ['list', '--limit', '101'],
      "Option '--limit <number>' argument '101' is invalid. It must be an integer from 1 to 100. See: petstore pets --help",
    ],
    [
      ['list', '--all', '--limit', '3'],
      "Option '--limit <number>' cannot be used with option '--all'. See: petstore pets --help",
    ],
    [
      ['list', 'extra'],
      "Too many arguments for 'list'. Expected 0 arguments but got 1. See: petstore pets --help",
    ],
    [['get'], "Missing required argument 'id'. See: petstore pets --help"],
    [
      ['get', '1.5'],
      "Command-argument value '1.5' is invalid for argument 'id'. It must be an integer from -9223372036854775808 to 9223372036854775807. See: petstore pets --help",
    ],
    [['fly'], "Unknown command 'fly'. See: petstore pets --help"],
    [['list', '--fly'], "Unknown option '--fly'. See: petstore pets --help"],
    [
      ['list', '--url', 'nowhere'],
      '--url (PETSTORE_URL) must be an address such as http://127.0.0.1:8080, not "nowhere".',
    ],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await run(...args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});

describe('petstore pets get', () => {
  it('shows one pet and announces that the operation will be removed', async () => {
    const { stdout: added } = await run('add', '--name', 'Rex', '--category', '1');
    const id = /"id":(\d+)/.exec(added)?.[1] ?? '';
    const { status, stdout, stderr } = await run('get', id);
    expect({ status, stdout }).toEqual({ status: 0, stdout: added });
    expect(stderr).toContain('2030-12-05');
  });

  it('reports that no pet has the id', async () => {
    const { status, stdout, stderr } = await run('get', '9223372036854775807');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/\npetstore: .+ \(not_found, request .+\)\n$/);
  });
});

describe('petstore pets list', () => {
  it('prints JSON in a pipe: one page, or every page with --all', async () => {
    await using other = await openListeningService();
    const otherEnv = { PETSTORE_URL: `${other.url}/v1`, PETSTORE_API_KEY: other.apiKey };
    const list = (...args: string[]) => runCli(['pets', 'list', ...args], { env: otherEnv });
    expect((await list()).stdout).toBe('[]\n');
    for (let index = 0; index < 230; index++) {
      const status = index % 2 ? 'sold' : 'available';
      await other.pets.createPet({ name: `Pet ${index}`, categoryId: BigInt(index), status });
    }
    const lengthOf = async (...args: string[]) =>
      (JSON.parse((await list(...args)).stdout) as unknown[]).length;
    expect(await lengthOf()).toBe(20);
    expect(await lengthOf('--limit', '3')).toBe(3);
    expect(await lengthOf('--all')).toBe(230);
    expect(await lengthOf('--all', '--status', 'sold')).toBe(115);
  });

  it('shows a table on a terminal, and escapes control characters in names', async () => {
    await using other = await openListeningService();
    await other.pets.createPet({ name: 'Rex\u001b[31m', categoryId: 9223372036854775807n, status: 'sold' });
    await other.pets.createPet({ name: '猫', categoryId: 1n });
    const otherEnv = { PETSTORE_URL: other.url, PETSTORE_API_KEY: other.apiKey };
    const { status, screen } = await runOnTerminal(['pets', 'list'], { env: otherEnv });
    expect(status).toBe(0);
    expect(screen).toBe(
      [
        'ID  NAME           CATEGORY             STATUS',
        '1   Rex\\u001b[31m  9223372036854775807  sold',
        '2   猫             1                    -',
        '',
      ].join('\n'),
    );
    const { screen: cut } = await runOnTerminal(['pets', 'list', '--limit', '1'], { env: otherEnv });
    expect(cut).toContain('There are more');
    const { screen: json } = await runOnTerminal(['pets', 'list', '--json'], { env: otherEnv });
    expect(json).toStartWith('[\n  {"id":1,');
  });
});

describe('petstore pets', () => {
  it('says how to fix a missing or wrong key, and does not repeat it', async () => {
    const none = await runCli(['pets', 'list'], { env: { PETSTORE_URL: service.url, PETSTORE_API_KEY: '' } });
    expect(none).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'petstore: An API key is needed. Set PETSTORE_API_KEY. To create one: petstore keys create --name NAME\n',
    });
    const wrong = await run('list', '--api-key', 'wrong-key-of-the-tests');
    expect({ status: wrong.status, stdout: wrong.stdout }).toEqual({ status: 1, stdout: '' });
    expect(wrong.stderr).toContain('Set PETSTORE_API_KEY');
    expect(wrong.stderr).not.toContain('wrong-key-of-the-tests');
  });

  it('reports an untrusted certificate, and says how to trust it', async () => {
    const fixtures = join(import.meta.dir, '../fixtures');
    const certificate = join(fixtures, 'localhost.pem');
    const args = ['--tls-cert', certificate, '--tls-key', join(fixtures, 'localhost-key.pem')];
    await using secure = await startService({ args });
    const list = ['pets', 'list', '--url', secure.url, '--api-key', fixedKey];
    const distrustful = await runCli(list);
    expect(distrustful.status).toBe(1);
    expect(distrustful.stderr).toMatch(
      /^petstore: The certificate of https:\S+ is not trusted \(\w+\)\. Name the file .* NODE_EXTRA_CA_CERTS/,
    );
    expect(await runCli(list, { env: { NODE_EXTRA_CA_CERTS: certificate } })).toMatchObject({ status: 0 });
    const examined = await runCli(['doctor', '--port', new URL(secure.url).port, ...args]);
    expect(examined.stdout).toContain(`A service responds at ${secure.url}.`);
  });

  it('accepts an address as browsers do', async () => {
    const sloppy = ` ${service.url.replace('//', '')}`;
    expect(await run('list', '--limit', '1', '--url', sloppy)).toMatchObject({ status: 0 });
  });

  it('reports that no service responds', async () => {
    // This port was free a moment ago and is not given out again soon.
    const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const url = `http://127.0.0.1:${probe.port}`;
    probe.stop(true);
    expect(await run('list', '--url', url)).toEqual({
      status: 1,
      stdout: '',
      stderr: `petstore: No service responds at ${url}. Start one with petstore serve, or name another address with --url.\n`,
    });
  });
});
