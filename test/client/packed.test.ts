import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dependencies } from '../../package.json';
import { openBrowser } from '../support/browser/browser.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';

const project = join(import.meta.dir, '../..');
const patienceMs = 120_000;
setDefaultTimeout(patienceMs);

/** What a program does with the package; it prints one line. */
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

/** Compiles only when the declarations arrived and say what they should. */
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

describe('the package petstore/client, installed from its tarball', () => {
  it('runs on plain Node', async () => {
    expect(await run(['node', 'program.mjs', service.url, service.apiKey])).toBe(printed);
  });

  it('runs on Bun', async () => {
    expect(await run([process.execPath, 'program.mjs', service.url, service.apiKey])).toBe(printed);
  });

  it('brings its types', async () => {
    await Bun.write(join(folder, 'program.ts'), typedProgram);
    const tsc = join(project, 'node_modules/.bin/tsc');
    const options =
      '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,esnext.disposable --types';
    expect(await run([tsc, ...options.split(' '), '', 'program.ts'])).toBe('');
  });

  it('needs nothing of Bun, Node or another package', async () => {
    const text = await Bun.file(join(folder, 'node_modules/petstore/dist/client/index.js')).text();
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(text)).toEqual([]);
    expect(text).not.toMatch(/\b(?:Bun|process|Buffer|require)\b[.(]/);
  });

  it('runs in the page of another origin, bundled', async () => {
    const page = await bundlePage();
    const shop = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => page(new URL(request.url).pathname),
    });
    const origin = `http://127.0.0.1:${shop.port}`;
    await using listed = await openListeningService({ allowedOrigins: [origin] });
    await using chromium = await openBrowser();
    try {
      const tab = await chromium.browser.newPage();
      await tab.goto(`${origin}/#${listed.url}|${listed.apiKey}`);
      await tab.waitForFunction('document.title !== ""');
      expect(await tab.title()).toBe('9223372036854775807 9007199254740993');
    } finally {
      await shop.stop(true);
    }
  });
});

/** Packs the project and installs the tarball in an empty folder, without the network. */
async function installPackage(target: string): Promise<void> {
  await run(['npm', 'pack', '--pack-destination', target], project);
  const [tarball] = [...new Bun.Glob('*.tgz').scanSync(target)];
  const local = Object.keys(dependencies).map((name) => [
    name,
    `file:${join(project, 'node_modules', name)}`,
  ]);
  const manifest = {
    private: true,
    dependencies: { petstore: `file:${tarball}` },
    // What the service depends on is taken from here; the client depends on nothing.
    overrides: Object.fromEntries(local) as Record<string, string>,
  };
  await Bun.write(join(target, 'package.json'), JSON.stringify(manifest));
  const quietly = '--offline --ignore-scripts --omit=optional --no-audit --no-fund --no-package-lock';
  await run(['npm', 'install', ...quietly.split(' ')], target);
}

/** A page that adds a pet and shows what came back as its title. */
async function bundlePage(): Promise<(path: string) => Response> {
  const entry = join(folder, 'page.mjs');
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
    path === '/page.js'
      ? new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
      : new Response('<!doctype html><script type="module" src="/page.js"></script>', {
          headers: { 'Content-Type': 'text/html' },
        });
}

async function run(command: string[], cwd = folder): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
