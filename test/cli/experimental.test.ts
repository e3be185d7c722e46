import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addPet } from '../support/http/calls.ts';
import {
  cleanEnvironment,
  fixedKey,
  petstoreCommand,
  runCli,
  startService,
  type CliResult,
  type Service,
} from '../support/process/process.ts';
import { runOnTerminal } from '../support/process/terminal.ts';

let service: Service;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService({ args: ['--experimental'] });
  env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: fixedKey };
});

afterAll(() => service[Symbol.asyncDispose]());

const run = (...args: string[]): Promise<CliResult> => runCli(args, { env });
const update = (id: string, ...args: string[]) => run('pets', 'update', id, ...args);
const printed = (stdout: string): CliResult => ({ status: 0, stdout, stderr: '' });
const add = (pet: object = { name: 'Rex', categoryId: 1 }) => addPet(service.call, pet);

describe('petstore pets update', () => {
  it('changes what is given and keeps the rest, digit by digit', async () => {
    const id = await add();
    const largest = '9223372036854775807';
    expect(await update(id, '--category', largest)).toEqual(
      printed(`{"id":${id},"name":"Rex","categoryId":${largest}}\n`),
    );
    expect(await update(id, '--name', 'Rex "II"', '--status', 'sold')).toEqual(
      printed(`{"id":${id},"name":"Rex \\"II\\"","categoryId":${largest},"status":"sold"}\n`),
    );
    const { stdout } = await run('pets', 'get', id);
    expect(stdout).toBe(`{"id":${id},"name":"Rex \\"II\\"","categoryId":${largest},"status":"sold"}\n`);
  });

  it('removes the status with none, and accepts an empty name', async () => {
    const id = await add({ name: 'Rex', categoryId: 1, status: 'sold' });
    expect(await update(id, '--status', 'none', '--name', '')).toEqual(
      printed(`{"id":${id},"name":"","categoryId":1}\n`),
    );
  });

  it('changes nothing when the status is not the expected one', async () => {
    const id = await add({ name: 'Rex', categoryId: 1, status: 'available' });
    const sell = (expected: string) => update(id, '--status', 'sold', '--expect-status', expected);
    for (const expected of ['pending', 'none']) {
      const { status, stdout, stderr } = await sell(expected);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^petstore: .+ \(precondition_failed, request .+\)\n$/);
    }
    expect((await run('pets', 'get', id)).stdout).toContain('"status":"available"');
    expect(await sell('available')).toMatchObject({ status: 0 });
    expect(await update(id, '--status', 'none', '--expect-status', 'sold')).toMatchObject({ status: 0 });
    expect(await sell('none')).toMatchObject({ status: 0 });
  });

  it('reports that no pet has the id', async () => {
    const { status, stderr } = await update('9223372036854775807', '--name', 'Rex');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('(not_found, ') });
  });

  it('shows the changed pet as a table on a terminal', async () => {
    const id = await add();
    const { screen } = await runOnTerminal(['pets', 'update', id, '--status', 'pending'], { env });
    expect(screen).toMatch(new RegExp(`^ID +NAME +CATEGORY +STATUS\\n${id} +Rex +1 +pending\\n$`));
    const { screen: json } = await runOnTerminal(['pets', 'update', id, '--status', 'sold', '--json'], {
      env,
    });
    expect(json).toBe(`{"id":${id},"name":"Rex","categoryId":1,"status":"sold"}\n`);
  });
});

describe('petstore pets remove', () => {
  const isThere = async (id: string) => (await service.call(`/v1/pets/${id}`)).status === 200;

  it('removes a pet for good with --yes, and prints nothing in a pipe', async () => {
    const id = await add();
    expect(await run('pets', 'remove', id, '--yes')).toEqual(printed(''));
    expect(await isThere(id)).toBe(false);
    const { status, stderr } = await run('pets', 'remove', id, '--yes');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('(not_found, ') });
  });

  it('asks nobody in a pipe', async () => {
    const id = await add();
    const { status, stderr } = await run('pets', 'remove', id);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('Confirm with --yes.') });
    expect(await isThere(id)).toBe(true);
  });

  it.each([
    ['y', 0, 'is removed.', false],
    ['n', 1, 'Nothing was removed.', true],
    ['', 1, 'Nothing was removed.', true],
  ])('asks with the name on a terminal: %j', async (typed, exitStatus, result, remains) => {
    const id = await add({ name: 'Rex\u001b[31m', categoryId: 1, status: 'sold' });
    let screen = '';
    await using child = Bun.spawn(petstoreCommand(['pets', 'remove', id]), {
      env: cleanEnvironment({ ...env, TERM: 'xterm' }),
      timeout: 60_000,
      killSignal: 'SIGKILL',
      terminal: { cols: 120, rows: 40, data: (_, bytes) => void (screen += Buffer.from(bytes).toString()) },
    });
    while (!screen.includes('[y/N]') && child.exitCode === null) await Bun.sleep(10);
    expect(screen).toContain(`Remove pet ${id}, "Rex\\u001b[31m" (sold)? This cannot be undone. [y/N]`);
    child.terminal?.write(`${typed}\n`);
    expect(await child.exited).toBe(exitStatus);
    while (!screen.includes(result)) await Bun.sleep(10);
    expect(await isThere(id)).toBe(remains);
  });
});

describe('petstore orders', () => {
  it('lists each sale in ascending order, filtered and page by page', async () => {
    await using other = await startService({ args: ['--experimental'] });
    const otherEnv = { PETSTORE_URL: other.url, PETSTORE_API_KEY: fixedKey };
    const list = (...args: string[]) => runCli(['orders', ...args], { env: otherEnv });
    expect(await list()).toEqual(printed('[]\n'));
    for (let count = 0; count < 60; count++) {
      const id = await addPet(other.call, { name: 'Rex', categoryId: 1, status: 'pending' });
      if (count > 0) continue;
      await runCli(['pets', 'update', id, '--status', 'sold'], { env: otherEnv });
    }
    const ordersOf = async (...args: string[]) =>
      JSON.parse((await list(...args)).stdout) as { id: number; petId: number; createdAt: string }[];
    expect((await ordersOf('--all')).map(({ id }) => id)).toEqual(
      Array.from({ length: 61 }, (_, at) => at + 1),
    );
    expect(await ordersOf()).toHaveLength(20);
    expect(await ordersOf('--limit', '2')).toHaveLength(2);
    expect(await ordersOf('--status', 'pending', '--all')).toHaveLength(60);
    const [sale] = await ordersOf('--status', 'sold');
    expect(sale).toMatchObject({ id: 2, petId: 1, status: 'sold' });
    expect(Date.parse(sale?.createdAt ?? '')).toBeWithin(Date.now() - 600_000, Date.now() + 1);

    const response = await other.call('/v1/store/orders?status=sold', {
      headers: { 'Petstore-Stability': 'experimental' },
    });
    expect((await list('--status', 'sold')).stdout).toBe(`[\n  ${(await response.text()).slice(1, -1)}\n]\n`);

    const { screen } = await runOnTerminal(['orders', '--limit', '1'], { env: otherEnv });
    expect(screen).toMatch(
      /^ID +PET +STATUS +CREATED \(UTC\)\n1 +1 +pending +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nThere are more: see --limit and --all\.\n$/,
    );
  });

  it('says on a terminal that there are none', async () => {
    await using other = await startService({ args: ['--experimental'] });
    const otherEnv = { PETSTORE_URL: other.url, PETSTORE_API_KEY: fixedKey };
    expect(await runOnTerminal(['orders'], { env: otherEnv })).toEqual({
      status: 0,
      screen: 'There are no orders.\n',
    });
  });
});
