import { beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { blocksOf } from '../support/clients-document.ts';
import { operations } from '../support/contract/openapi.ts';
import { outcomeOf } from '../support/http/calls.ts';
import { openListeningService } from '../support/http/listening.ts';
import { outputOf, project, run } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';
import { installTools, tools } from '../support/process/tools.ts';

/** Runs the generators and the mock server of docs/clients.md as they stand there. */

beforeAll(installTools);

const commands = (blocksOf('Generated clients')['sh'] ?? '').trim().split('\n');

describe.each(commands.map((command) => [/^npx (@?[\w/-]+)@/.exec(command)?.[1] ?? '', command] as const))(
  'the client of %s',
  (name, command) => {
    it('has the operations of the API and nothing else, and compiles', async () => {
      await using service = await openListeningService();
      using folder = makeFolder();
      const args = command.replaceAll(exampleAddress, service.url).split(' ').slice(2);
      const { program, file, names } = generated[name]!;
      await outputOf([join(tools, 'node_modules/.bin', program), ...args], folder.path);
      const code = await Bun.file(join(folder.path, file)).text();
      const functions = [...code.matchAll(names)].map(([, found = '']) => found);
      expect(functions.toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());

      const options =
        '--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --lib es2024,dom,dom.iterable';
      const tsc = [join(project, 'node_modules/.bin/tsc'), ...options.split(' '), '--types', ''];
      expect(await run([...tsc, file], folder.path)).toMatchObject({ stdout: '', status: 0 });
    });
  },
);

describe('the mock server', () => {
  const [, args = ''] = /^npx @\S+ (.*)$/m.exec(blocksOf('A mock server')['sh'] ?? '') ?? [];

  it('responds as the service does, to valid and invalid requests', async () => {
    await using service = await openListeningService();
    await using mock = await openMock(args.replaceAll(exampleAddress, service.url).split(' '));
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

/** How each generator is started, and where it writes the operations. */
const generated: Record<string, { program: string; file: string; names: RegExp }> = {
  'openapi-typescript': {
    program: 'openapi-typescript',
    file: 'petstore.d.ts',
    names: /(?<=^export interface operations \{.*)^ {4}(\w+): \{/gms,
  },
  '@hey-api/openapi-ts': {
    program: 'openapi-ts',
    file: 'petstore/sdk.gen.ts',
    names: /^export const (\w+)/gm,
  },
};
