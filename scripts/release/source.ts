import { join } from 'node:path';
import { OperatorError } from '../../src/domain/error.ts';
import { outputOf, project } from '../command.ts';

/** What is released: a version, and the commit that has it. */
export interface Source {
  version: string;
  commit: string;
  /** When the commit was made. Every time in the release is this one, so that another run gives the same bytes. */
  committedAt: Date;
  /** The section of the changelog. */
  notes: string;
}

/** Reads what is released, and refuses a tree that nobody could check out again. */
export async function readSource(): Promise<Source> {
  await refuseChanges();
  const version = await readVersion();
  const [commit = '', seconds] = (await git('log', '-1', '--format=%H %ct')).split(' ');
  const committedAt = new Date(Number(seconds) * 1000);
  return { version, commit, committedAt, notes: await readNotes(version) };
}

async function refuseChanges(): Promise<void> {
  const [change] = (await git('status', '--porcelain')).split('\n');
  if (change) {
    throw new OperatorError(
      `The tree has changes that are in no commit (${change.trim()}).`,
      'Commit them or stash them.',
    );
  }
  // npm packs whole folders, also what git ignores.
  const packed = ['src', ':(glob)packages/*/src/**'];
  const ignored = await git('ls-files', '--others', '--ignored', '--exclude-standard', ...packed);
  const [stray] = ignored.split('\n');
  if (stray) {
    throw new OperatorError(`${stray} is in no commit, because git ignores it.`, 'Remove it.');
  }
}

function git(...args: string[]): Promise<string> {
  return outputOf(['git', ...args]);
}

/** The version, which all packages and the lockfile must agree on. */
async function readVersion(): Promise<string> {
  const { version } = await readJson<{ version: string }>('package.json');
  const lockfile = await readJson<{ packages: Record<string, { version: string }> }>('package-lock.json');
  const others = [['package-lock.json', lockfile.packages['']?.version]];
  for (const name of ['client', 'testkit', 'web']) {
    const manifest = await readJson<Manifest>(`packages/${name}/package.json`);
    others.push([`packages/${name}/package.json`, manifest.version]);
    if (manifest.peerDependencies) {
      others.push([
        `packages/${name}/package.json for its peer`,
        manifest.peerDependencies['petstore-server'],
      ]);
    }
    others.push([`package-lock.json for the ${name}`, lockfile.packages[`packages/${name}`]?.version]);
  }
  for (const [where, other] of others) {
    if (other === version) continue;
    throw new OperatorError(
      `The version is ${version} in package.json and ${other} in ${where}.`,
      'Set it as docs/releasing.md says.',
    );
  }
  return version;
}

interface Manifest {
  version: string;
  peerDependencies?: Record<string, string>;
}

async function readNotes(version: string): Promise<string> {
  const changelog = await Bun.file(join(project, 'CHANGELOG.md')).text();
  const sections = changelog.split(/^## /m).slice(1);
  const heading = new RegExp(`^${RegExp.escape(version)} - \\d{4}-\\d\\d-\\d\\d\n`);
  const section = sections.find((text) => heading.test(text));
  if (section === undefined) {
    throw new OperatorError(
      `CHANGELOG.md has no section for ${version} with a date.`,
      'Write it as docs/releasing.md says.',
    );
  }
  return `# Petstore ${section.trim()}\n`;
}

async function readJson<T>(file: string): Promise<T> {
  return (await Bun.file(join(project, file)).json()) as T;
}
