import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outputOf, project, run, type Ended } from '../support/process/package.ts';
import { makeFolder, type Folder } from '../support/process/process.ts';

export interface ReleaseCopy {
  path: string;
  /** Replaces text in a file and commits. */
  change(file: string, from: string, to: string): Promise<void>;
  release(...args: string[]): Promise<Ended>;
  [Symbol.dispose](): void;
}

/** A repository of its own with the project's files in one commit. */
export async function makeReleaseCopy(): Promise<ReleaseCopy> {
  const folder = makeFolder();
  const path = join(folder.path, 'petstore');
  await copyProject(path);
  await git(path, 'init', '--quiet');
  await commit(path);
  return openCopy(path, folder);
}

/** Copies what a clone would have, and what is not in git yet. */
export async function copyProject(target: string): Promise<void> {
  const listed = await outputOf(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], project);
  for (const file of listed.trim().split('\n')) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(project, file), join(target, file));
  }
}

/** The same commit in another folder. */
export async function cloneReleaseCopy({ path: origin }: ReleaseCopy): Promise<ReleaseCopy> {
  const folder = makeFolder();
  const path = join(folder.path, 'somewhere/else');
  await git(origin, 'clone', '--quiet', origin, path);
  return openCopy(path, folder);
}

async function openCopy(path: string, folder: Folder): Promise<ReleaseCopy> {
  await copyPackages(path);
  return {
    path,
    async change(file, from, to) {
      const text = await Bun.file(join(path, file)).text();
      await Bun.write(join(path, file), text.replace(from, to));
      await commit(path);
    },
    release: (...args) => run([process.execPath, 'scripts/release/run.ts', ...args], path),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function commit(path: string): Promise<void> {
  await git(path, 'add', '--all');
  await git(path, 'commit', '--quiet', '--message', 'All files');
}

function git(path: string, ...args: string[]): Promise<string> {
  return outputOf(['git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], path);
}

/**
 * Links the tools and copies what becomes part of an executable: the bundler names a linked file by where the link
 * leads.
 */
async function copyPackages(path: string): Promise<void> {
  const { packages } = (await Bun.file(join(project, 'package-lock.json')).json()) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  const isBundled = (name: string) => {
    const entry = packages[`node_modules/${name}`];
    return entry !== undefined && !entry.dev && !entry.link && name !== 'bun';
  };
  await mkdir(join(path, 'node_modules'));
  for (const name of await readdir(join(project, 'node_modules'))) {
    const [from, to] = [join(project, 'node_modules', name), join(path, 'node_modules', name)];
    await (isBundled(name) && name !== 'petstore-client'
      ? cp(from, to, { recursive: true })
      : symlink(from, to));
  }
}
