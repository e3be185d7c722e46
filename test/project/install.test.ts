import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { dirname, join } from 'node:path';
import { version } from '../../package.json';
import { outputOf, project, run } from '../support/process/package.ts';
import { makeFolder, startService, type Folder } from '../support/process/process.ts';
import { openRegistry, type Registry } from '../support/process/registry.ts';

/** Bun must come with the package and not from this machine. */
const node = `${dirname(Bun.which('node') ?? '')}:/usr/bin:/bin`;
const shown = { status: 0, stdout: `${version}\n`, stderr: '' };
let folder: Folder;
let registry: Registry;
let server: string;
let kit: string;

beforeAll(async () => {
  folder = makeFolder();
  registry = openRegistry();
  const pack = ['npm', 'pack', '--silent', '--pack-destination', folder.path];
  await outputOf([...pack, '--workspace', 'petstore-testkit', '--include-workspace-root'], project);
  server = join(folder.path, `petstore-server-${version}.tgz`);
  kit = join(folder.path, `petstore-testkit-${version}.tgz`);
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

describe('petstore', () => {
  it('runs with npx petstore in a checkout', async () => {
    expect(await run(['npx', '--offline', '--silent', 'petstore', '--version'], project)).toEqual(shown);
  });

  it('is on the PATH after npm install -g of the tarball', async () => {
    using empty = makeFolder();
    const prefix = join(folder.path, 'prefix');
    await install(empty.path, '-g', '--prefix', prefix, server);
    const env = { PATH: `${prefix}/bin:/usr/bin:/bin` };
    expect(await run(['sh', '-c', 'petstore --version'], empty.path, env)).toEqual(shown);
    await using service = await startService({ wrap: () => ['sh', '-c', 'exec petstore serve'], env });
    expect((await service.call('/readyz')).status).toBe(200);
  });
});

describe('npm install --ignore-scripts', () => {
  it('makes programs that find the Bun of the platform', async () => {
    using empty = makeFolder();
    await install(empty.path, '--ignore-scripts', server, kit);
    const bin = join(empty.path, 'node_modules/.bin');
    const { stderr } = await run(['sh', join(bin, 'bun')], empty.path);
    expect(stderr).toContain('postinstall script was not run');
    for (const name of ['petstore', 'petstore-sandbox', 'petstore-conform']) {
      expect(await run([join(bin, name), '--version'], folder.path, { PATH: node }), name).toEqual(shown);
    }
  });
});
