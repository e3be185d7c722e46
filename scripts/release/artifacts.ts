import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../src/domain/error.ts';
import { buildExecutable } from '../executable.ts';
import { outputOf, project } from '../command.ts';
import { isExecutableOf, type Platform } from './platforms.ts';
import { addAddresses, type Repository } from './published.ts';
import { runtimeFor } from './runtime.ts';
import { writeSbom } from './sbom.ts';
import type { Source } from './source.ts';

/** Makes all files of a release in a folder, which is emptied first. Returns the text of SHA256SUMS. */
export async function makeRelease(
  folder: string,
  source: Source,
  platforms: Platform[],
  repository?: Repository,
): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(tmpdir(), 'petstore-release-'));
  try {
    await packPackages(folder, join(temporary, 'sources'), source, repository);
    await packDeploy(join(folder, `petstore-deploy-${source.version}.tar.gz`), source);
    const executables = new Map<Platform, string>();
    for (const platform of platforms) {
      const runtime = await runtimeFor(platform, temporary);
      const outfile = join(folder, `petstore-${source.version}-${platform.name}`);
      await buildExecutable({ outfile, platform: { target: platform.target, runtime } });
      if (!isExecutableOf(platform, outfile)) {
        throw new OperatorError(`${outfile} is not an executable of ${platform.name}.`);
      }
      executables.set(platform, outfile);
    }
    await writeSbom(join(folder, `petstore-${source.version}.cdx.json`), temporary, source, executables);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  await Bun.write(join(folder, 'RELEASE_NOTES.md'), source.notes);
  const sums = await checksums(folder);
  await Bun.write(join(folder, 'SHA256SUMS'), sums);
  for (const name of readdirSync(folder))
    utimesSync(join(folder, name), source.committedAt, source.committedAt);
  return sums;
}

/** Packs the service, the client and the test kit from a copy. npm gives every file in them the same time. */
async function packPackages(
  folder: string,
  copy: string,
  { commit, committedAt }: Source,
  repository: Repository | undefined,
): Promise<void> {
  mkdirSync(copy);
  await Bun.$`git -c tar.umask=0022 archive --format=tar ${commit} | tar -x -C ${copy}`.cwd(project);
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  await addAddresses(copy, repository);
  const env = { SOURCE_DATE_EPOCH: String(committedAt.getTime() / 1000) };
  const pack = ['npm', 'pack', '--silent', '--pack-destination', folder];
  const workspaces = ['--workspace', 'petstore-client', '--workspace', 'petstore-testkit'];
  await outputOf([...pack, '--include-workspace-root', ...workspaces], { cwd: copy, env });
}

/**
 * Packs deploy/ and what operators read as they are in the commit. git sorts the files and gives them one owner and
 * the time of the commit.
 */
async function packDeploy(file: string, { commit }: Source): Promise<void> {
  const paths = ['.env.example', 'SECURITY.md', 'deploy', 'docs/operations.md', 'docs/scale.md'];
  const archive = Bun.$`git -c tar.umask=0022 archive --format=tar ${commit} ${paths}`;
  // Bun compresses it, because programs called gzip differ.
  await Bun.write(file, Bun.gzipSync(await archive.cwd(project).arrayBuffer()));
}

async function checksums(folder: string): Promise<string> {
  const lines = [];
  for (const name of readdirSync(folder).toSorted()) {
    const hash = createHash('sha256').update(await Bun.file(join(folder, name)).bytes());
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}
