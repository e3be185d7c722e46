import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { dependencies } from '../../../package.json';

export const project = join(import.meta.dir, '../../..');

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** Less than a test may take, so that a command that hangs fails its test by name. */
const limitMs = 240_000;

/** Runs a command to its end. One that hangs is ended, so that none outlives the test run. */
export async function run(
  command: string[],
  cwd: string,
  env: Record<string, string | undefined> = process.env,
  input = '',
): Promise<Ended> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd,
    env,
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  if (child.signalCode === 'SIGKILL' && performance.now() - startedAt >= limitMs)
    throw new Error(`${command.join(' ')} did not end within ${limitMs} ms:\n${stdout}${stderr}`);
  return { status, stdout, stderr };
}

/** Runs a command that must succeed and returns its output. */
export async function outputOf(command: string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(command, cwd);
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Lets programs in a folder import `petstore-client` from its sources. They need Bun. */
export async function linkClient(target: string): Promise<void> {
  const installed = join(target, 'node_modules/petstore-client');
  await mkdir(installed, { recursive: true });
  await symlink(join(project, 'packages/client/src'), join(installed, 'source'));
  const manifest = { name: 'petstore-client', type: 'module', exports: './source/index.ts' };
  await Bun.write(join(installed, 'package.json'), JSON.stringify(manifest));
}

/** Packs a package that has to be built. It is built in a copy, because other tests read the project meanwhile. */
async function packBuilt(name: 'client' | 'testkit', target: string): Promise<string> {
  const copy = join(target, 'copy');
  for (const part of [`packages/${name}`, 'scripts', 'tsconfig.json', 'package.json']) {
    await cp(join(project, part), join(copy, part), { recursive: true });
  }
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
  return await pack(join(copy, 'packages', name), target);
}

function packServer(target: string): Promise<string> {
  return pack(project, target);
}

/** Returns the tarball. */
async function pack(folder: string, target: string): Promise<string> {
  const packed = await outputOf(['npm', 'pack', '--silent', '--pack-destination', target], folder);
  return join(target, packed.trim().split('\n').at(-1) ?? '');
}

/** Packs the client and installs the tarball in an empty folder, without the network. */
export async function installClient(target: string): Promise<{ tarball: string; installed: string }> {
  const tarball = await packBuilt('client', target);
  await Bun.write(join(target, 'package.json'), '{"private":true}');
  await outputOf(['npm', 'install', '--offline', '--no-audit', '--no-fund', tarball], target);
  return { tarball, installed: join(target, 'node_modules/petstore-client') };
}

/** Packs the server and the test kit, and installs the tarballs in an empty folder. Dependencies are linked from here. */
export async function installPackages(target: string): Promise<Record<'server' | 'testkit', string>> {
  const names = Object.keys(dependencies);
  const links = names.map((name) => [name, `file:${join(project, 'node_modules', name)}`]);
  const [server, testkit] = await Promise.all([packServer(target), packBuilt('testkit', target)]);
  const manifest = {
    private: true,
    dependencies: {
      'petstore-server': `file:${server}`,
      'petstore-testkit': `file:${testkit}`,
      ...(Object.fromEntries(links) as Record<string, string>),
    },
    overrides: Object.fromEntries(names.map((name) => [name, `$${name}`])) as object,
  };
  await Bun.write(join(target, 'package.json'), JSON.stringify(manifest));
  const options = '--offline --ignore-scripts --omit=optional --no-audit --no-fund --no-package-lock';
  await outputOf(['npm', 'install', ...options.split(' ')], target);
  return { server, testkit };
}
