import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '../support/browser/browser.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { installPackage, outputOf, project } from '../support/process/package.ts';

/** Uses the package and prints one line. */
const program = `
import { createClient, isNotFound } from 'petstore/client';
const [baseUrl, apiKey] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
const { id } = await client.createPet({ name: 'Packed', categoryId: 9223372036854775807n, status: 'sold' });
const seen = [];
for await (const pet of client.pets({ status: 'sold' })) if (pet.id === id) seen.push(pet);
const missing = await client.getPet(-1n).catch((error) => isNotFound(error) && error.code);
console.log([seen.length, seen[0].name, seen[0].categoryId, missing].join(' '));
`;
const printed = '1 Packed 9223372036854775807 not_found\n';

/** Compiles only with the right declarations. */
const typedProgram = `
import { createClient, isPetstoreError, type Pet, type PetStatus } from 'petstore/client';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none' });
export const statuses: PetStatus[] = ['available', 'pending', 'sold'];
export async function firstId(): Promise<bigint | undefined> {
  for await (const pet of client.pets()) return pet.id;
  return undefined;
}
export const describe = (pet: Pet): string => pet.name;
export const isLate = (error: unknown) => isPetstoreError(error, 'timeout') && error.code === 'timeout';
// @ts-expect-error a number is no id
void client.getPet(1);
`;

let folder: string;
let service: ListeningService;

beforeAll(async () => {
  service = await openListeningService();
  folder = await mkdtemp(join(tmpdir(), 'petstore-packed-'));
  await installPackage(folder);
  await Bun.write(join(folder, 'program.mjs'), program);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('petstore/client, installed from its tarball', () => {
  it('runs on plain Node', async () => {
    expect(await outputOf(['node', 'program.mjs', service.url, service.apiKey], folder)).toBe(printed);
  });

  it('runs on Bun', async () => {
    expect(await outputOf([process.execPath, 'program.mjs', service.url, service.apiKey], folder)).toBe(
      printed,
    );
  });

  it('has its types', async () => {
    await Bun.write(join(folder, 'program.ts'), typedProgram);
    const tsc = join(project, 'node_modules/.bin/tsc');
    const options =
      '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,esnext.disposable --types';
    expect(await outputOf([tsc, ...options.split(' '), '', 'program.ts'], folder)).toBe('');
  });

  it('depends on no API of Bun or Node and on no other package', async () => {
    const text = await Bun.file(join(folder, 'node_modules/petstore/dist/client/index.js')).text();
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(text)).toEqual([]);
    expect(text).not.toMatch(/\b(?:Bun|process|Buffer|require)\b[.(]/);
  });

  it('runs bundled in a browser on another origin', async () => {
    const respond = await bundleProgram();
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => respond(new URL(request.url).pathname),
    });
    const origin = `http://127.0.0.1:${server.port}`;
    await using listed = await openListeningService({ allowedOrigins: [origin] });
    await using chromium = await openBrowser();
    try {
      const tab = await chromium.browser.newPage();
      await tab.goto(`${origin}/#${listed.url}|${listed.apiKey}`);
      await tab.waitForFunction('document.title !== ""');
      expect(await tab.title()).toBe('9223372036854775807 9007199254740993');
    } finally {
      await server.stop(true);
    }
  });
});

/** An HTML document that adds pets and shows their categories in its title. */
async function bundleProgram(): Promise<(path: string) => Response> {
  const entry = join(folder, 'program-in-browser.mjs');
  await Bun.write(
    entry,
    `import { createClient } from 'petstore/client';
    const [baseUrl, apiKey] = location.hash.slice(1).split('|');
    const client = createClient({ baseUrl, apiKey });
    await client.createPet({ name: 'A', categoryId: 9223372036854775807n });
    await client.createPet({ name: 'B', categoryId: 9007199254740993n });
    const seen = [];
    for await (const { categoryId } of client.pets({ limit: 1 })) seen.push(categoryId);
    document.title = seen.join(' ');`,
  );
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true });
  const script = await outputs[0]!.text();
  return (path) =>
    path === '/program.js'
      ? new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
      : new Response('<!doctype html><script type="module" src="/program.js"></script>', {
          headers: { 'Content-Type': 'text/html' },
        });
}
