import { beforeAll, describe, expect, it } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { exampleAddress } from '../../packages/console/src/docs/code/request.ts';
import { blocksOf } from '../support/clients-document.ts';
import { operations } from '../support/contract/openapi.ts';
import { outcomeOf } from '../support/http/calls.ts';
import { openListeningService } from '../support/http/listening.ts';
import { outputOf, project, run } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';
import { installTools, tools } from '../support/process/tools.ts';

/** Runs the commands and samples of docs/clients.md for TypeScript, and its mock server, as they stand there. */

const { devDependencies } = JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};
beforeAll(installTools);

describe.each(['openapi-typescript and openapi-fetch', 'hey-api'])('the client of %s', (heading) => {
  const { sh = '', ts = '', text } = blocksOf(heading);
  const commands = sh.trim().split('\n');

  it('is shown with the versions that are tested', () => {
    const installed = commands.flatMap((command) => [...command.matchAll(/ (@?[\w/-]+)@([\d.]+)/g)]);
    expect(installed.length).toBeGreaterThanOrEqual(2);
    for (const [, name = '', version] of installed)
      expect([name, devDependencies[name]]).toEqual([name, version]);
  });

  it('is generated, compiles and works', async () => {
    await using service = await openListeningService();
    using folder = makeFolder();
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(join(tools, 'node_modules/openapi-fetch'), join(folder.path, 'node_modules/openapi-fetch'));
    const here = (shown: string): string => shown.replaceAll(exampleAddress, service.url);
    for (const command of commands.filter((line) => line.startsWith('npx '))) {
      const [program = '', ...args] = here(command).split(' ').slice(1);
      await outputOf([join(tools, 'node_modules/.bin', program), ...args], folder.path);
    }
    const { file, names } = generated[heading]!;
    const code = await Bun.file(join(folder.path, file)).text();
    const functions = [...code.matchAll(names)].map(([, name = '']) => name);
    expect(functions.toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());

    await Bun.write(join(folder.path, 'sample.ts'), here(ts));
    await Bun.write(
      join(folder.path, 'process.d.ts'),
      'declare const process: { env: { API_KEY: string } };',
    );
    const options =
      '--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --lib es2024,dom,dom.iterable';
    const tsc = [join(project, 'node_modules/.bin/tsc'), ...options.split(' '), '--types', ''];
    expect(await run([...tsc, 'process.d.ts', 'sample.ts'], folder.path)).toMatchObject({
      stdout: '',
      status: 0,
    });
    const env = { ...process.env, API_KEY: service.apiKey };
    const { stdout, stderr } = await run([process.execPath, 'sample.ts'], folder.path, env);
    expect(stdout, stderr).toBe(text ?? '');

    // The document says so.
    await service.client.createPet({ name: 'Big', categoryId: 2n ** 53n + 1n, status: 'pending' });
    await Bun.write(
      join(folder.path, 'rounded.ts'),
      here(`${setupOf(ts)}\nconsole.log(${listOf[heading]});`),
    );
    const rounded = await run([process.execPath, 'rounded.ts'], folder.path, env);
    expect(rounded.stdout, rounded.stderr).toContain('categoryId: 9007199254740992');
  });
});

describe('the mock server', () => {
  const [, name = '', version = '', ...args] =
    /^npx (@[\w/-]+)@([\d.]+) (.*)$/m.exec(blocksOf('A mock server')['sh'] ?? '') ?? [];

  it('is shown with the version that is tested', () => {
    expect(devDependencies[name]).toBe(version);
  });

  it('responds as the service does, to sound requests and to others', async () => {
    await using service = await openListeningService();
    await using mock = await openMock(args.join(' ').replaceAll(exampleAddress, service.url).split(' '));
    const headers = { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' };
    const requests: [path: string, init: RequestInit, expected: string][] = [
      ['/pets', { headers }, '200'],
      ['/pets', {}, '401 unauthorized'],
      ['/pets?limit=0', { headers }, '400 invalid_parameter'],
      ['/pets', { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' }, '201'],
      // A 422 among the responses would come first.
      ['/pets', { method: 'POST', headers, body: '{"categoryId":1}' }, '400 invalid_pet'],
      ['/pets', { method: 'POST', headers, body: '{"name":7,"categoryId":1}' }, '400 invalid_pet'],
      [
        '/pets',
        { method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'Rex' },
        '415 unsupported_media_type',
      ],
      ['/pets/1', { headers }, '200'],
      ['/pets/1', { method: 'PATCH', headers, body: '{"status":"sold"}' }, '200'],
      ['/pets/1', { method: 'PATCH', headers, body: '{"status":"lost"}' }, '400 invalid_pet'],
      ['/store/orders', { headers }, '200'],
      ['/pets/1', { method: 'DELETE', headers }, '204'],
    ];
    for (const [path, init, expected] of requests) {
      const sent = `${init.method ?? 'GET'} ${path} ${JSON.stringify(init)}`;
      expect(await outcomeOf(fetch(mock.url + path, init)), sent).toBe(expected);
      expect(await outcomeOf(fetch(`${service.url}/v1${path}`, init)), sent).toBe(expected);
    }
  });
});

/** Starts Prism on a free port. */
async function openMock(args: string[]): Promise<{ url: string } & AsyncDisposable> {
  const program = join(tools, 'node_modules/.bin/prism');
  const child = Bun.spawn([program, ...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = Promise.withResolvers<string>();
  // Its output is read to the end: Prism writes lines for each request and ends when nobody reads them.
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString();
      const [, address] = /listening on (http:\/\/[\w.:]+)/.exec(text) ?? [];
      if (address !== undefined) url.resolve(address);
    }
    url.reject(new Error(`Prism ended: ${text}`));
  };
  void read();
  return {
    url: await url.promise,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** The imports and the client of a sample. */
function setupOf(sample: string): string {
  return sample.slice(0, sample.indexOf('\n\nconst {'));
}

/** Where a generator writes the operations: those of the API, and nothing else. */
const generated: Record<string, { file: string; names: RegExp }> = {
  'openapi-typescript and openapi-fetch': {
    file: 'petstore.d.ts',
    names: /(?<=^export interface operations \{.*)^ {4}(\w+): \{/gms,
  },
  'hey-api': { file: 'petstore/sdk.gen.ts', names: /^export const (\w+)/gm },
};

const listOf: Record<string, string> = {
  'openapi-typescript and openapi-fetch': `await client.GET('/pets', { params: { query: { status: 'pending' } } })`,
  'hey-api': `await listPets({ query: { status: 'pending' } })`,
};
