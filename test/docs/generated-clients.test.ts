import { beforeAll, describe, expect, it } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../packages/testkit/src/sandbox/sandbox.ts';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { blocksOf } from './clients-document.ts';
import { operations } from '../support/contract/openapi.ts';
import { outcomeOf } from '../support/http/calls.ts';
import { openListeningService } from '../support/http/listening.ts';
import { outputOf, project, run } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';
import { installTools, tools } from '../support/process/tools.ts';

/** Runs the generators and the mock server of docs/clients.md as they stand there. */

beforeAll(installTools);

/** Such as `npx -p typescript@5.9.3 -p generator@1.0.0 program --output file`. */
const commands = (blocksOf('Generated clients')['sh'] ?? '')
  .trim()
  .split('\n')
  .map((command) => {
    const packages = [...command.matchAll(/ -p (\S+)@(\S+)/g)].map(([, name = '', version = '']) => ({
      name,
      version,
    }));
    const [program = '', ...args] = command
      .replace(/^npx(?: -p \S+)*/, '')
      .trim()
      .split(' ');
    return { name: packages.at(-1)?.name ?? '', packages, program, args };
  });

it('the document names the versions of test/tools, with the TypeScript that they need', async () => {
  const { devDependencies } = (await Bun.file(join(tools, 'package.json')).json()) as {
    devDependencies: Record<string, string>;
  };
  expect(commands).toHaveLength(3);
  for (const { name, packages } of commands)
    expect(packages).toEqual(
      ['typescript', name].map((each) => ({ name: each, version: devDependencies[each] ?? 'none' })),
    );
});

it('each client has the operations of the API and nothing else, and compiles', async () => {
  await using service = await openListeningService();
  using folder = makeFolder();
  const files: string[] = [];
  for (const { name, program, args } of commands) {
    const target = join(folder.path, name);
    mkdirSync(target, { recursive: true });
    const { file, types, names } = generated[name]!;
    const local = args.map((arg) => arg.replace(exampleAddress, service.url));
    await outputOf([join(tools, 'node_modules/.bin', program), ...local], target);
    const code = await Bun.file(join(target, file)).text();
    const functions = [...code.matchAll(names)].map(([, found = '']) => found);
    expect(functions.toSorted(), name).toEqual(operations.map(({ operationId }) => operationId).toSorted());
    expect(await Bun.file(join(target, types)).text(), name).toMatch(/^ +categoryId: number;$/m);
    // An argument that begins with @ would name a file of arguments.
    files.push(`./${name}/${file}`);
  }
  const options =
    '--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --lib es2024,dom,dom.iterable';
  const tsc = [join(project, 'node_modules/.bin/tsc'), ...options.split(' '), '--types', ''];
  expect(await run([...tsc, ...files], folder.path)).toMatchObject({ stdout: '', status: 0 });
});

interface PostmanItem {
  item?: PostmanItem[];
  request?: {
    method: string;
    url: {
      host: string[];
      path: string[];
      query?: { key: string; value: string; disabled?: boolean }[];
      variable?: { key: string; value: string }[];
    };
    header: { key: string; value: string; disabled?: boolean }[];
    body?: { raw?: string };
  };
}

it('the collection of Postman passes in a sandbox, request by request', async () => {
  const [download = '', convert = ''] = (blocksOf('Postman')['sh'] ?? '').trim().split('\n');
  await using sandbox = await startSandbox();
  using folder = makeFolder();
  const program = join(tools, 'node_modules/.bin/openapi2postmanv2');
  const local = convert.replace(/^npx -p \S+ \S+/, program);
  expect(local).toStartWith(program);
  const script = `${download.replace(exampleAddress, sandbox.url)} && ${local}`;
  expect(await run(['sh', '-c', script], folder.path)).toMatchObject({ status: 0 });
  const collection = (await Bun.file(join(folder.path, 'collection.json')).json()) as PostmanItem & {
    variable: { key: string; value: string }[];
  };
  const [baseUrl = ''] = collection.variable.filter(({ key }) => key === 'baseUrl').map(({ value }) => value);
  expect(baseUrl).toBe(`${sandbox.url}/v1`);
  const itemsOf = ({ item = [], request }: PostmanItem): PostmanItem[] =>
    request ? [{ request }] : item.flatMap(itemsOf);
  const statuses = [];
  for (const { request } of itemsOf(collection)) {
    const { method, url, header, body } = request!;
    const pathOf = (part: string) => url.variable?.find(({ key }) => `:${key}` === part)?.value ?? part;
    const query = (url.query ?? [])
      .filter(({ disabled }) => !disabled)
      .map(({ key, value }): [string, string] => [key, value]);
    const response = await fetch(
      `${baseUrl}/${url.path.map(pathOf).join('/')}?${new URLSearchParams(query).toString()}`,
      {
        method,
        headers: [
          ...header
            .filter(({ disabled }) => !disabled)
            .map(({ key, value }) => [key, value] as [string, string]),
          ['Authorization', `Bearer ${sandbox.apiKey}`],
        ],
        ...(body?.raw && { body: body.raw }),
      },
    );
    statuses.push([method, url.path.join('/'), response.ok]);
  }
  expect(statuses).toHaveLength(operations.length);
  expect(statuses.filter(([, , isOk]) => !isOk)).toEqual([]);
});

describe('the mock server', () => {
  const [, args = ''] = /^npx @\S+ (.*)$/m.exec(blocksOf('A mock server')['sh'] ?? '') ?? [];

  it('responds as the service does, to valid and invalid requests', async () => {
    await using service = await openListeningService();
    await using mock = await openMock(args.replaceAll(exampleAddress, service.url).split(' '));
    const headers = { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' };
    const tooLarge = { method: 'POST', headers, body: '{"name":"Rex","categoryId":9007199254740992}' };
    expect((await fetch(`${mock.url}/pets`, tooLarge)).status).toBe(400);
    expect((await fetch(`${service.url}/v1/pets`, tooLarge)).status).toBe(201);
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

/** Where each generator writes the operations and the types. */
const generated: Record<string, { file: string; types: string; names: RegExp }> = {
  'openapi-typescript': {
    file: 'petstore.d.ts',
    types: 'petstore.d.ts',
    names: /(?<=^export interface operations \{.*)^ {4}(\w+): \{/gms,
  },
  'swagger-typescript-api': {
    file: 'petstore.ts',
    types: 'petstore.ts',
    names: /^ {4}(\w+): \(/gm,
  },
  '@hey-api/openapi-ts': {
    file: 'petstore/sdk.gen.ts',
    types: 'petstore/types.gen.ts',
    names: /^export const (\w+)/gm,
  },
};
