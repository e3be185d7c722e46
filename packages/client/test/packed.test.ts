import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../package.json';
import { useBrowser } from '../../../test/support/browser/use-browser.ts';
import { openListeningService, type ListeningService } from '../../../test/support/http/listening.ts';
import { openScriptedServer } from './scripted-server.ts';
import { installClient, outputOf, project } from '../../../test/support/process/package.ts';
import { complaintsAbout, installTools, nodes } from '../../../test/support/process/tools.ts';

/** Uses the package and prints one line. */
const program = `
import { createClient, isNotFound } from 'petstore-client';
const [baseUrl, apiKey] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
const { id } = await client.createPet({ name: 'Packed', categoryId: 9223372036854775807n, status: 'sold' });
const seen = [];
for await (const pet of client.pets({ status: 'sold' })) if (pet.id === id) seen.push(pet);
const missing = await client.getPet(-1n).catch((error) => isNotFound(error) && error.code);
console.log([seen.length, seen[0].name, seen[0].categoryId, missing].join(' '));
`;
const printed = '1 Packed 9223372036854775807 not_found\n';

const chromium = useBrowser();
let folder: string;
let tarball: string;
let installed: string;
let service: ListeningService;

beforeAll(async () => {
  await installTools();
  service = await openListeningService();
  folder = await mkdtemp(join(tmpdir(), 'petstore-packed-'));
  ({ tarball, installed } = await installClient(folder));
  await Bun.write(join(folder, 'program.mjs'), program);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('petstore-client, installed from its tarball', () => {
  it.each([...nodes, ['Bun', process.execPath]])('runs on %s', async (_name, runtime) => {
    expect(await outputOf([runtime, 'program.mjs', service.url, service.apiKey], folder)).toBe(printed);
  });

  it('is small, and clean under the linters of packages', async () => {
    expect(Bun.file(tarball).size).toBeLessThan(45_000);
    expect(await complaintsAbout(tarball)).toBe('');
  });

  it('contains the module, its declarations, a README and the licence', async () => {
    expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const files = readdirSync(join(installed, 'dist'), { recursive: true }).map(String);
    expect(files.filter((file) => !file.endsWith('.d.ts')).toSorted()).toEqual([
      'index.js',
      'index.js.map',
      'wire',
    ]);
    const licence = (folderOf: string) => Bun.file(join(folderOf, 'LICENSE')).text();
    expect(await licence(installed)).toBe(await licence(project));
  });

  it('has the version of the service, no dependencies and no install script', async () => {
    const manifest = (await Bun.file(join(installed, 'package.json')).json()) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: 'petstore-client', version, engines: { node: '>=20' } });
    expect(Object.keys(manifest).filter((field) => /dependencies$/i.test(field))).toEqual([]);
    expect(Object.keys(manifest['scripts'] as object).filter((name) => /install|prepare/.test(name))).toEqual(
      [],
    );
  });

  it('does not depend on APIs of Bun or Node', async () => {
    const text = await Bun.file(join(installed, 'dist/index.js')).text();
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(text)).toEqual([]);
    expect(text).not.toMatch(/\b(?:Bun|process|Buffer|require)\b[.(]/);
  });

  it('runs bundled in a browser on another origin, and says so if that is not allowed', async () => {
    const respond = await bundleProgram();
    const pages = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => respond(new URL(request.url).pathname),
    });
    await using _ = { [Symbol.asyncDispose]: () => pages.stop(true) };
    const origin = `http://127.0.0.1:${pages.port}`;
    await using listed = await openListeningService({ allowedOrigins: [origin] });
    const titleWith = async ({ url, apiKey }: { url: string; apiKey: string }) => {
      const tab = await chromium.browser.newPage();
      await tab.goto(`${origin}/#${url}|${apiKey}`);
      await tab.waitForFunction('document.title !== ""');
      return tab.title();
    };
    expect(await titleWith(listed)).toBe('9223372036854775807 9007199254740993 sold');

    const refused = await titleWith(service);
    expect(refused).toStartWith(`origin_not_allowed ${service.url}/v1/pets responds, but probably not`);
    expect(refused).toContain(`pages of ${origin}`);

    await using elsewhere = openScriptedServer(() => Response.json({}));
    const cors = {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Headers': '*, Authorization',
    };
    const Location = `${elsewhere.url}/v1/pets`;
    await using redirecting = openScriptedServer(
      () => new Response(null, { headers: cors }),
      () => new Response(null, { status: 307, headers: { ...cors, Location } }),
    );
    expect(await titleWith({ url: redirecting.url, apiKey: 'key' })).toStartWith('unexpected_response');
    expect(elsewhere.received).toEqual([]);
  });
});

/** An HTML document that adds, sells and deletes pets and shows in its title what it saw, or why it failed. */
async function bundleProgram(): Promise<(path: string) => Response> {
  const entry = join(folder, 'program-in-browser.mjs');
  await Bun.write(
    entry,
    `import { createClient } from 'petstore-client';
    const [baseUrl, apiKey] = location.hash.slice(1).split('|');
    const client = createClient({ baseUrl, apiKey });
    try {
      await client.createPet({ name: 'A', categoryId: 9223372036854775807n });
      const { id } = await client.createPet({ name: 'B', categoryId: 9007199254740993n });
      const seen = [];
      for await (const { categoryId } of client.pets({ limit: 1 })) seen.push(categoryId);
      const { etag } = await client.updatePet(id, { status: 'sold', expected: { status: null } });
      await client.deletePet(id, { ifMatch: etag ?? 'no ETag' });
      for await (const { status } of client.orders()) seen.push(status);
      document.title = seen.join(' ');
    } catch (error) {
      document.title = error.code + ' ' + error.message;
    }`,
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
