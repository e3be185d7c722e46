import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../package.json';
import { collect } from '../support/process/collect.ts';
import { mutants } from '../../packages/testkit/src/mutants/index.ts';
import { plantFolder, plantedConfigs } from '../support/process/planted.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { outputOf, project, run } from '../support/process/package.ts';
import { makeFolder, startService, type Folder, type Service } from '../support/process/process.ts';
import { openRegistry, type Registry } from './registry.ts';
import { openService } from '../support/http/service.ts';

const newPet = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

/** Adds a pet and finds it again through the API. */
async function expectToKeepPets({ call }: Service): Promise<void> {
  const body = '{"name":"Rex","categoryId":9223372036854775807,"status":"available"}';
  const created = await call('/v1/pets', { ...newPet, body });
  const text = await created.text();
  expect({ status: created.status, text }).toEqual({
    status: 201,
    text: '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
  });
  expect(await (await call('/v1/pets')).text()).toBe(`[${text}]`);
  // Served by a thread of its own.
  expect(await (await call('/v1/pets/search?q=REX')).text()).toBe(`[${text}]`);
  expect((await call('/readyz')).status).toBe(200);
}

/** The console, the docs and the contract are those of the sources, byte for byte. */
async function expectToServeDocuments({ url }: Service): Promise<void> {
  await using sources = await openService();
  const expected = async (path: string) => (await sources.app.fetch(new Request(`${url}${path}`))).text();
  const found = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(200);
    return response.text();
  };
  const contracts = ['/openapi.yaml', '/openapi.json', '/openapi-3.0.json', '/petstore.arazzo.yaml'];
  for (const path of [...contracts, '/docs', '/']) {
    expect((await found(path)) === (await expected(path))).toBe(true);
  }
  const assets = [
    ...`${await found('/')}${await found('/docs')}`.matchAll(/(?:src|href)="(assets\/[^"]+)"/g),
  ];
  expect(assets.length).toBeGreaterThanOrEqual(3);
  for (const [, asset] of assets) {
    expect((await found(`/${asset}`)) === (await expected(`/${asset}`))).toBe(true);
  }
}

describe('npm run build', () => {
  let folder: Folder;
  let executable: string;
  /** Hides Bun, Node and packages of this machine. */
  const bare = { PATH: '/nowhere', HOME: '/nowhere', TMPDIR: undefined, NODE_PATH: undefined };

  beforeAll(async () => {
    folder = makeFolder();
    executable = join(folder.path, 'petstore');
    const built = await run(['npm', 'run', '--silent', 'build', '--', executable], project);
    expect(built).toMatchObject({ status: 0, stdout: `${executable}\n` });
  });

  afterAll(() => {
    folder[Symbol.dispose]();
  });

  it('creates one file that serves everything from an empty folder', async () => {
    await using service = await startService({
      env: { ...bare, DATABASE_URL: undefined },
      wrap: () => [executable, 'serve'],
    });
    expect(readdirSync(service.folder)).toEqual(['data']);
    await expectToKeepPets(service);
    await expectToServeDocuments(service);
    expect(await service.stop()).toBe(0);
    expect(service.stdout).toContain('"stopped"');
    expect(service.stderr).not.toContain('petstore:');
  });

  it.each(plantedConfigs)('reads nothing from a folder with a .env and a %s', async (config) => {
    using planted = plantFolder(config);
    const petstore = (...args: string[]) => run([executable, ...args], planted.path, bare);
    expect(await petstore('keys', 'create', '--name', 'till')).toMatchObject({ status: 0 });
    await petstore('health');
    expect(planted.found()).toEqual([]);
    const { status } = await petstore('keys', 'create', '--name', 'till', '--env-file', '.env');
    expect({ status, found: planted.found() }).toEqual({ status: 0, found: [planted.database] });
  });

  it('includes nothing from the test kit', async () => {
    const bytes = Buffer.from(await Bun.file(executable).bytes());
    expect(bytes.includes('An API key is needed')).toBe(true);
    for (const { description } of mutants.slice(0, 10)) expect(bytes.includes(description)).toBe(false);
  });

  it('makes a sandbox of the test kit as well', async () => {
    using empty = makeFolder();
    const sandbox = join(empty.path, 'petstore-sandbox');
    await outputOf([process.execPath, 'scripts/build.ts', sandbox, 'petstore-sandbox'], project);
    const child = Bun.spawn([sandbox, '--json', '--stop-with-stdin'], {
      cwd: empty.path,
      env: bare,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = await collect(child.stdout).untilMatch(/^.*\n/);
    const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
    const headers = { Authorization: `Bearer ${apiKey}` };
    expect(await (await fetch(`${url}/v1/pets/search?q=simba`, { headers })).text()).toContain('"Simba"');
    await child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  it('includes every command and both stores', async () => {
    using empty = makeFolder();
    const petstore = (...args: string[]) => run([executable, ...args], empty.path, bare);
    expect(await petstore('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(await petstore('keys', 'create', '--name', 'till')).toMatchObject({ status: 0 });
    await using place = await makePostgresPlace();
    expect(await petstore('copy', '--from', 'data/petstore.db', '--to', place.address)).toMatchObject({
      status: 0,
    });
    await using service = await startService({
      databaseUrl: place.address,
      env: bare,
      wrap: () => [executable, 'serve'],
    });
    const at = ['--url', service.url, '--api-key-file', 'key'];
    await Bun.write(join(empty.path, 'key'), service.apiKey);
    expect(await petstore('seed', '--count', '3', ...at)).toMatchObject({
      status: 0,
      stdout: `Added 3 pets to ${service.url}.\n`,
    });
    const exported = await petstore('export', ...at);
    await Bun.write(join(empty.path, 'pets.ndjson'), exported.stdout);
    expect(await petstore('import', 'pets.ndjson', ...at)).toMatchObject({ status: 0 });
    expect((await petstore('export', ...at)).stdout.split('\n')).toHaveLength(7);
    expect(await petstore('check', '--port', '0')).toMatchObject({ status: 0 });
  });
});

describe('npm install', () => {
  /** Bun must come with the package and not from this machine. */
  const node = `${dirname(Bun.which('node') ?? '')}:/usr/bin:/bin`;
  const shown = { status: 0, stdout: `${version}\n`, stderr: '' };
  let folder: Folder;
  let registry: Registry;
  let prefix: string;
  let server: string;
  let kit: string;

  beforeAll(async () => {
    folder = makeFolder();
    registry = openRegistry();
    const pack = ['npm', 'pack', '--silent', '--pack-destination', folder.path];
    await outputOf([...pack, '--workspace', 'petstore-testkit', '--include-workspace-root'], project);
    server = join(folder.path, `petstore-server-${version}.tgz`);
    kit = join(folder.path, `petstore-testkit-${version}.tgz`);
    prefix = join(folder.path, 'prefix');
    await install(folder.path, '-g', '--prefix', prefix, server);
  });

  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function install(cwd: string, ...args: string[]): Promise<void> {
    const env = { ...registry.env, PATH: node, HOME: folder.path };
    const { status, stderr } = await run(['npm', 'install', ...args], cwd, env);
    expect(status, stderr).toBe(0);
  }

  it('-g puts a petstore on the PATH that serves everything', async () => {
    const env = { PATH: `${prefix}/bin:/usr/bin:/bin` };
    expect(await run(['sh', '-c', 'petstore --version'], folder.path, env)).toEqual(shown);
    await using service = await startService({ wrap: () => ['sh', '-c', 'exec petstore serve'], env });
    await expectToKeepPets(service);
    await expectToServeDocuments(service);
  });

  it('--ignore-scripts makes programs that find the Bun of the platform from any folder', async () => {
    using target = makeFolder();
    await install(target.path, '--ignore-scripts', server, kit);
    const bin = join(target.path, 'node_modules/.bin');
    const { stderr } = await run(['sh', join(bin, 'bun')], target.path);
    expect(stderr).toContain('postinstall script was not run');
    for (const name of ['petstore', 'petstore-sandbox', 'petstore-mutants', 'petstore-conform']) {
      expect(await run([join(bin, name), '--version'], folder.path, { PATH: node }), name).toEqual(shown);
    }
  });

  it('makes npx petstore work in a checkout', async () => {
    expect(await run(['npx', '--offline', '--silent', 'petstore', '--version'], project)).toEqual(shown);
  });
});
