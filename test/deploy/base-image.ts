import { cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf } from '../../scripts/command.ts';

/** A Debian with the Node, npm and certificate authorities of this machine, in place of the official Node image. */
export async function makeNodeImage(folder: string, name: string): Promise<void> {
  const root = join(folder, 'node-root');
  await outputOf(['mmdebstrap', '--variant=minbase', '--quiet', 'bookworm', root]);
  const npm = dirname(dirname(realpathSync(pathOf('npm'))));
  mkdirSync(join(root, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(realpathSync(pathOf('node')), join(root, 'usr/local/bin/node'));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities) cpSync(authorities, join(root, 'etc/authorities.pem'), { dereference: true });
  await importRoot(root, name, authorities ? ['ENV NODE_EXTRA_CA_CERTS=/etc/authorities.pem'] : []);
}

/** Makes an image of a folder. */
export async function importRoot(root: string, name: string, changes: string[] = []): Promise<void> {
  const archive = `${root}.tar`;
  // Device files cannot be made everywhere, and a container gets its own.
  await outputOf(['tar', '-C', root, '--exclude=./dev/*', '-cf', archive, '.']);
  const flags = changes.flatMap((change) => ['--change', change]);
  await outputOf(['podman', 'import', '--quiet', ...flags, archive, name]);
}

function pathOf(program: string): string {
  const path = Bun.which(program);
  if (path === null) throw new Error(`${program} is not installed.`);
  return path;
}
