import { describe, expect, it } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin } from '../../../package.json';
import { descendantsOf } from '../../support/process/process-tree.ts';
import {
  endProcess,
  fixedKey,
  makeFolder,
  runCli,
  startService,
  type CliOptions,
  type CliResult,
  type Folder,
} from '../../support/process/process.ts';
import { plantFolder, plantedConfigs, type PlantedFolder } from '../../support/process/planted.ts';

const project = join(import.meta.dir, '../../..');
const PATH = `${join(project, 'node_modules/.bin')}:${process.env['PATH']}`;

/** The program as npm links it into a folder of commands. */
function linkBin(folder: Folder): string {
  const link = join(folder.path, 'petstore');
  symlinkSync(join(project, bin.petstore), link);
  return link;
}

async function run(planted: PlantedFolder, args: string[], options: CliOptions = {}): Promise<CliResult> {
  using folder = makeFolder();
  const link = linkBin(folder);
  const env = { PATH, DATABASE_URL: undefined, ...options.env };
  return await runCli(args, { cwd: planted.path, wrap: () => [link, ...args], ...options, env });
}

describe("petstore in a stranger's folder", () => {
  it.each(plantedConfigs)('uses its own store, and runs no program that %s names', async (config) => {
    using planted = plantFolder(config);
    expect(await run(planted, ['keys', 'create', '--name', 'till'])).toMatchObject({ status: 0 });
    expect(existsSync(join(planted.path, 'data/petstore.db'))).toBe(true);
    expect(planted.found()).toEqual([]);
  });

  it('serves its own console, and refuses the keys of the .env', async () => {
    using planted = plantFolder('tsconfig.json');
    using folder = makeFolder();
    const link = linkBin(folder);
    const command = ['sh', '-c', 'cd "$1" && exec "$2" serve', 'sh', planted.path, link];
    await using service = await startService({ wrap: () => command, env: { PATH } });
    expect((await service.callWith(planted.apiKey, '/v1/pets')).status).toBe(401);
    const page = await (await fetch(service.url)).text();
    const [, script = ''] = /src="(assets\/[^"]+)"/.exec(page) ?? [];
    const source = await (await fetch(`${service.url}/${script}`)).text();
    expect(source).not.toContain(planted.mark);
    expect(source).toContain('Authorization');
    expect(await service.stop()).toBe(0);
    expect(planted.found()).toEqual([]);
  });

  it('reads the file that --env-file names', async () => {
    using planted = plantFolder();
    const envFile = ['--env-file', '.env'];
    expect(await run(planted, ['keys', 'create', '--name', 'till', ...envFile])).toMatchObject({ status: 0 });
    expect(await run(planted, ['--env-file=.env', 'keys', 'list'])).toMatchObject({ status: 0 });
    // Only the store that it names was used.
    expect(planted.found()).toEqual([planted.database]);
  });

  it.each([
    [
      ['--env-file', 'missing.env'],
      1,
      'The file missing.env of --env-file cannot be read: no such file or directory. Check its path and permissions.',
    ],
    [['--env-file'], 2, "Option '--env-file <file>' argument missing. See: petstore --help"],
  ])('refuses %j', async (args, status, message) => {
    using planted = plantFolder();
    expect(await run(planted, ['keys', 'list', ...args])).toEqual({
      status,
      stdout: '',
      stderr: `petstore: ${message}\n`,
    });
  });
});

describe("petstore in the project's folder", () => {
  it('reads .env with npm start, but not with other commands', async () => {
    using folder = copyProject();
    const database = join(folder.path, 'shop.db');
    writeFileSync(join(folder.path, '.env'), `DATABASE_URL=${database}\nAPI_KEYS=${fixedKey}\n`);
    const env = { DATABASE_URL: undefined, API_KEYS: undefined };
    const command = ['npm', '--prefix', folder.path, '--silent', 'start'];
    await using service = await startService({ wrap: () => command, env });
    const processes = descendantsOf(service.pid);
    try {
      expect((await service.call('/v1/pets')).status).toBe(200);
      expect(existsSync(database)).toBe(true);
      expect(existsSync(join(folder.path, 'data'))).toBe(false);
      const npx = ['npx', '--offline', 'petstore', 'keys', 'create', '--name', 'till'];
      expect(await runCli([], { cwd: folder.path, env, wrap: () => npx })).toMatchObject({ status: 0 });
      expect(existsSync(join(folder.path, 'data/petstore.db'))).toBe(true);
    } finally {
      processes.forEach(endProcess);
    }
  });
});

/** What npm needs of the project; its packages are linked. */
function copyProject(): Folder {
  const folder = makeFolder();
  for (const name of ['src', 'scripts', 'package.json', 'openapi.yaml', 'petstore.arazzo.yaml']) {
    cpSync(join(project, name), join(folder.path, name), { recursive: true });
  }
  // The lockfile is that of the packages, so `npm start` never installs others; if it did, it could remove only links.
  const [packages, links] = [join(project, 'node_modules'), join(folder.path, 'node_modules')];
  cpSync(join(packages, '.package-lock.json'), join(folder.path, 'package-lock.json'));
  mkdirSync(links);
  for (const name of readdirSync(packages)) symlinkSync(join(packages, name), join(links, name));
  return folder;
}
