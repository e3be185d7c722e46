import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { OperatorError, usageError } from '../../src/domain/error.ts';
import { makeRelease } from './artifacts.ts';
import { project } from '../command.ts';
import { platforms } from './platforms.ts';
import { repositoryOf } from './published.ts';
import { readSource } from './source.ts';

const names = platforms.map(({ name }) => name);
const help = `Make everything that a release publishes, from a clean commit, in dist/release:
the packages of the service, the client and the test kit, an executable for every platform,
the files of deploy/ with operations.md, scale.md, SECURITY.md and .env.example, the bill of
materials, the release notes, and SHA256SUMS of them all.

Usage: npm run release -- [options]

Options:
  --only NAMES   Platforms, separated by commas, of ${names.join(', ')}.
  --twice        Make it a second time and compare the checksums.
  --repository URL
                 The address of the repository, such as https://git.example/petstore. Without
                 it, the packages name none, and their READMEs have no links to its files.
  --help         Show this help.
`;

try {
  await release();
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = error.exitStatus;
}

async function release(): Promise<void> {
  const { only, twice, repository: url, help: isHelp } = readOptions();
  if (isHelp) return say(help);
  const chosen = choosePlatforms(only);
  const source = await readSource();
  const repository = repositoryOf(url, source.version);
  const folder = join(project, 'dist/release');
  const sums = await makeRelease(folder, source, chosen, repository);
  say(sums);
  if (twice) {
    const other = `${folder}-again`;
    const again = (await makeRelease(other, source, chosen, repository)).split('\n');
    const changed = again.filter((line) => !sums.includes(line));
    if (changed.length > 0) {
      throw new OperatorError(
        `A second run gives other bytes: ${changed.map((line) => line.split('  ')[1]).join(', ')}.`,
        `Compare with ${relative(process.cwd(), other)}.`,
      );
    }
    rmSync(other, { recursive: true });
    say('A second run gives the same checksums.\n');
  }
  say(`${source.version} from ${source.commit} is in ${relative(process.cwd(), folder)}\n`);
}

function readOptions(): { only?: string; twice?: boolean; repository?: string; help?: boolean } {
  const boolean = { type: 'boolean' } as const;
  const string = { type: 'string' } as const;
  try {
    return parseArgs({ options: { only: string, twice: boolean, repository: string, help: boolean } }).values;
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function choosePlatforms(only: string | undefined) {
  const chosen = only === undefined ? names : only.split(',');
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw usageError(`There is no platform "${unknown}".`, `Choose from ${names.join(', ')}.`);
  }
  return platforms.filter(({ name }) => chosen.includes(name));
}

function say(text: string): void {
  process.stdout.write(text);
}
