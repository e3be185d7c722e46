import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { OperatorError } from '../../src/domain/error.ts';
import { outputOf, project } from '../command.ts';
import { host, type Platform } from './platforms.ts';

interface LockedPackage {
  version: string;
  integrity: string;
}

/** The Bun of a platform, in the version of the lockfile. The others come from npm, into a folder. */
export async function runtimeFor(platform: Platform, folder: string): Promise<string> {
  const locked = await lockedPackage(platform.runtime);
  if (locked.version !== Bun.version) {
    throw new OperatorError(
      `This is Bun ${Bun.version}, and the lockfile has ${locked.version}.`,
      'Run npm ci, then npm run release.',
    );
  }
  if (platform === host) return process.execPath;
  const pack = ['npm', 'pack', '--silent', '--pack-destination', folder];
  const packed = await outputOf([...pack, `${platform.runtime}@${locked.version}`]);
  const tarball = join(folder, packed);
  await checkIntegrity(platform.runtime, tarball, locked.integrity);
  const unpacked = join(folder, platform.name);
  await Bun.$`mkdir ${unpacked} && tar -xzf ${tarball} -C ${unpacked}`.quiet();
  return join(unpacked, 'package/bin/bun');
}

/** npm checks a package against the registry, which could have changed. The lockfile has not. */
async function checkIntegrity(name: string, tarball: string, integrity: string): Promise<void> {
  const hash = createHash('sha512').update(await Bun.file(tarball).bytes());
  if (`sha512-${hash.digest('base64')}` === integrity) return;
  throw new OperatorError(`${name} from npm is not the package of package-lock.json.`);
}

async function lockedPackage(name: string): Promise<LockedPackage> {
  const lockfile = (await Bun.file(join(project, 'package-lock.json')).json()) as {
    packages: Record<string, LockedPackage | undefined>;
  };
  const locked = lockfile.packages[`node_modules/${name}`];
  if (!locked) throw new OperatorError(`package-lock.json does not have ${name}.`);
  return locked;
}
