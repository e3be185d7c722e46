import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { outputOf, run } from '../support/process/package.ts';
import { startService } from '../support/process/process.ts';
import { cloneReleaseCopy, makeReleaseCopy, type ReleaseCopy } from './release-copy.ts';

/** `npm run release` begins with these: bun test ./test/release/checks.ts */

const deploy = `petstore-deploy-${version}.tar.gz`;
const x64 = { name: 'linux-x64', runtime: '@oven/bun-linux-x64' };
const arm64 = { name: 'linux-arm64', runtime: '@oven/bun-linux-aarch64' };
const [own, other] = process.arch === 'arm64' ? [arm64, x64] : [x64, arm64];
const executable = `petstore-${version}-${own.name}`;
const packages = ['server', 'client', 'testkit'].map((name) => `petstore-${name}-${version}.tgz`);
let copy: ReleaseCopy;
let released: string;

beforeAll(async () => {
  copy = await makeReleaseCopy();
  released = join(copy.path, 'dist/release');
  // As in a checkout whose tests have run.
  await Bun.write(join(copy.path, 'test/tools/node_modules/some/package.json'), '{}');
  expect(await copy.release('--only', own.name)).toMatchObject({ status: 0, stderr: '' });
});

afterAll(() => copy?.[Symbol.dispose]());

it('makes packages, an executable, deploy/, a bill of materials, notes and their checksums', async () => {
  const expected = [...packages, executable, deploy, `petstore-${version}.cdx.json`];
  expect(readdirSync(released).toSorted()).toEqual(
    [...expected, 'RELEASE_NOTES.md', 'SHA256SUMS'].toSorted(),
  );
  const summed = [];
  for (const line of (await Bun.file(join(released, 'SHA256SUMS')).text()).trim().split('\n')) {
    const [sum = '', name = ''] = line.split('  ');
    const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(join(released, name)).bytes());
    expect(hash.digest('hex')).toBe(sum);
    summed.push(name);
  }
  expect(summed.toSorted()).toEqual([...expected, 'RELEASE_NOTES.md'].toSorted());
});

it.skipIf(process.platform !== 'linux')('makes an executable that serves from an empty folder', async () => {
  await using service = await startService({ wrap: () => [join(released, executable), 'serve'] });
  expect((await service.call('/readyz')).status).toBe(200);
});

it('packs deploy/ and what operators read, with one owner and the time of the commit', async () => {
  const pages = ['.env.example', 'SECURITY.md', 'docs/operations.md', 'docs/scale.md'];
  const list = ['git', 'ls-tree', '-r', '--name-only', 'HEAD', 'deploy', ...pages];
  const listed = await outputOf(list, copy.path);
  expect(listed.split('\n')).toEqual(expect.arrayContaining(pages));
  const archive = new Bun.Archive(await Bun.file(join(released, deploy)).bytes());
  const files = await archive.files();
  const time = await committedAt();
  expect([...files.keys()]).toEqual(listed.trim().split('\n'));
  for (const [name, file] of files) {
    expect(await file.text(), name).toBe(await Bun.file(join(copy.path, name)).text());
    expect(file.lastModified, name).toBe(time);
  }
  const owners = await outputOf(['tar', '--numeric-owner', '-tvzf', deploy], released);
  for (const line of owners.trim().split('\n')) expect(line).toMatch(/^(?:d.{9}|-rw-r--r--) +0[/ ]0 /);
});

it('lists in the bill of materials what is inside, with licences, and the hashes of the executables', async () => {
  const sbom = (await Bun.file(join(released, `petstore-${version}.cdx.json`)).json()) as {
    metadata: { timestamp: string; component: { name: string } };
    components: { name: string; version: string; licenses?: unknown[]; hashes?: unknown[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const { packages: locked } = (await Bun.file(join(copy.path, 'package-lock.json')).json()) as {
    packages: Record<string, { version: string; dev?: boolean; link?: boolean; os?: string[] }>;
  };
  const isOfOtherSystem = (path: string) => path.includes('@oven/') && path !== `node_modules/${own.runtime}`;
  const production = Object.entries(locked)
    .filter(([path, { dev, link }]) => !['', 'packages/testkit'].includes(path) && !dev && !link)
    .filter(([path]) => !isOfOtherSystem(path))
    .map(([path, entry]) => `${nameOf(path)}@${entry.version}`);
  const insideBun = [`sqlite@${process.versions['sqlite']}`, `boringssl@${process.versions['boringssl']}`];
  const names = sbom.components.map((each) => `${each.name}@${each.version}`);
  expect(names.toSorted()).toEqual([...production, ...insideBun, `${executable}@${version}`].toSorted());

  const componentOf = (wanted: string) => sbom.components.find(({ name }) => name === wanted);
  expect(componentOf('sqlite')?.licenses).toEqual([{ license: { id: 'blessing' } }]);
  expect(componentOf('boringssl')?.licenses).toEqual([{ license: { id: 'Apache-2.0' } }]);
  const sums = await Bun.file(join(released, 'SHA256SUMS')).text();
  const [sum = ''] = sums.split('\n').filter((line) => line.endsWith(`  ${executable}`));
  expect(componentOf(executable)?.hashes).toEqual([{ alg: 'SHA-256', content: sum.split(' ')[0] }]);

  const bun = sbom.dependencies.find(({ ref }) => ref === `bun@${Bun.version}`);
  expect(bun?.dependsOn).toEqual(expect.arrayContaining(insideBun));
  const refs = new Set(sbom.dependencies.map(({ ref }) => ref));
  for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  expect(sbom.metadata.component.name).toBe('petstore-server');
  expect(Date.parse(sbom.metadata.timestamp)).toBe(await committedAt());
});

it('takes the section of the version as the release notes', async () => {
  const notes = await Bun.file(join(released, 'RELEASE_NOTES.md')).text();
  const changelog = await Bun.file(join(copy.path, 'CHANGELOG.md')).text();
  expect(notes).toStartWith(`# Petstore ${version} - `);
  expect(changelog).toContain(notes.replace('# Petstore', '##'));
  expect(notes).not.toMatch(/^## /m);
});

it('packs what each package needs and nothing else, and npm publishes it without a correction', async () => {
  const belongs = [
    /^(?:src|packages\/(?:client|web)\/src)\/|^(?:packages\/web\/tsconfig\.json|openapi\.yaml|petstore\.arazzo\.yaml|CHANGELOG\.md)$/,
    /^dist\//,
    /^(?:dist\/petstore-conform\.js$|src\/)/,
  ];
  const always = ['LICENSE', 'README.md', 'package.json'];
  for (const [index, name] of packages.entries()) {
    const files = await new Bun.Archive(await Bun.file(join(released, name)).bytes()).files();
    const names = Array.from(files.keys(), (path) => path.replace('package/', ''));
    const chosen = names.filter((path) => !always.includes(path));
    expect(names.length - chosen.length, name).toBe(always.length);
    expect(chosen.filter((path) => !belongs[index]!.test(path) || /\.test\.|\.env|\.db/.test(path))).toEqual(
      [],
    );
    const manifest = JSON.parse(await files.get('package/package.json')!.text()) as object;
    expect(manifest).not.toHaveProperty('private');
  }
  // `npm run --silent release` passes its level on.
  const publish =
    'npm publish --loglevel=notice --dry-run --include-workspace-root -w petstore-client -w petstore-testkit';
  const { status, stdout, stderr } = await run(publish.split(' '), copy.path);
  expect({
    status,
    published: stdout
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('+ ')),
  }).toEqual({
    status: 0,
    published: ['server', 'client', 'testkit'].map((name) => `+ petstore-${name}@${version}`),
  });
  // It warns that nobody is logged in.
  expect(stderr.match(/^npm (?:warn|error) publish (?!This command requires).*$/gim)).toBeNull();
});

it('names no repository, and leaves no link in a README that leads nowhere', async () => {
  for (const name of packages) {
    const { manifest, readme } = await openPackage(join(released, name));
    expect(manifest).not.toHaveProperty('repository');
    expect(relativeLinksOf(readme)).toEqual([]);
  }
});

it('names the repository that it is told, in all packages and their links', async () => {
  const url = 'https://git.example/shop/petstore';
  const again = join(copy.path, 'dist/again');
  renameSync(released, again);
  try {
    expect(await copy.release('--only', own.name, '--repository', url)).toMatchObject({ status: 0 });
    const directories = [undefined, 'packages/client', 'packages/testkit'];
    for (const [index, name] of packages.entries()) {
      const { manifest, readme } = await openPackage(join(released, name));
      expect(manifest).toMatchObject({ homepage: `${url}#readme`, bugs: `${url}/issues` });
      expect((manifest['repository'] as { directory?: string }).directory).toBe(directories[index]);
      expect(relativeLinksOf(readme)).toEqual([]);
      for (const [, path = ''] of readme.matchAll(
        new RegExp(`\\]\\(${url}/(?:blob|raw)/v${version}/([^)#]+)`, 'g'),
      ))
        expect(existsSync(join(copy.path, path)), path).toBe(true);
    }
    const { readme } = await openPackage(join(released, packages[0]!));
    expect(readme).toContain(`](${url}/raw/v${version}/docs/screenshots/pets.png)`);
  } finally {
    rmSync(released, { recursive: true, force: true });
    renameSync(again, released);
  }
});

async function openPackage(file: string) {
  const files = await new Bun.Archive(await Bun.file(file).bytes()).files();
  const textOf = (name: string): Promise<string> => files.get(`package/${name}`)!.text();
  const manifest = JSON.parse(await textOf('package.json')) as Record<string, unknown>;
  return { manifest, readme: await textOf('README.md') };
}

function relativeLinksOf(readme: string): string[] {
  const prose = readme.replaceAll(/^```.*?^```$/gms, '');
  return prose.match(/\]\((?!https?:|#)[^)]+\)/g) ?? [];
}

async function committedAt(): Promise<number> {
  return Number(await outputOf(['git', 'log', '-1', '--format=%ct'], copy.path)) * 1000;
}

/** The name of a package by its path in the lockfile. */
function nameOf(path: string): string {
  return path.startsWith('packages/')
    ? path.replace('packages/', 'petstore-')
    : path.replace(/^.*node_modules\//, '');
}

describe('npm run release', () => {
  let tree: ReleaseCopy;
  beforeAll(async () => {
    tree = await cloneReleaseCopy(copy);
  });
  afterAll(() => tree[Symbol.dispose]());

  async function expectRefusal(line: string, status = 1, ...args: string[]): Promise<void> {
    expect(await tree.release(...args)).toEqual({ status, stdout: '', stderr: `release: ${line}\n` });
    expect(existsSync(join(tree.path, 'dist'))).toBe(false);
  }

  it('refuses a platform that it does not know', () =>
    expectRefusal('There is no platform "amiga". Choose from linux-x64, linux-arm64.', 2, '--only', 'amiga'));

  it('refuses an address of no repository', () =>
    expectRefusal(
      '"pets" is not the address of a repository. Write it as https://git.example/petstore.',
      2,
      '--repository',
      'pets',
    ));

  it('refuses a tree with a file that is in no commit', async () => {
    await Bun.write(join(tree.path, 'new.txt'), '');
    await expectRefusal(
      'The tree has changes that are in no commit (?? new.txt). Commit them or stash them.',
    );
    await Bun.file(join(tree.path, 'new.txt')).delete();
  });

  it('refuses a file in src that git ignores', async () => {
    const file = join(tree.path, 'src/cli/.env');
    await Bun.write(file, 'API_KEYS=secret');
    await expectRefusal('src/cli/.env is in no commit, because git ignores it. Remove it.');
    await Bun.file(file).delete();
  });

  it('refuses a changelog without a dated section for the version', async () => {
    await tree.change('CHANGELOG.md', `\n## ${version} - `, `\n## ${version} - not on `);
    await expectRefusal(
      `CHANGELOG.md has no section for ${version} with a date. Write it as docs/releasing.md says.`,
    );
  });

  it('refuses a client of another version', async () => {
    await tree.change('packages/client/package.json', `"${version}"`, '"0.0.1"');
    await expectRefusal(
      `The version is ${version} in package.json and 0.0.1 in packages/client/package.json. Set it as docs/releasing.md says.`,
    );
  });

  it('refuses a Bun from npm that differs from the lockfile', async () => {
    using clone = await cloneReleaseCopy(copy);
    const { packages: locked } = (await Bun.file(join(clone.path, 'package-lock.json')).json()) as {
      packages: Record<string, { integrity: string }>;
    };
    const { integrity = '' } = locked[`node_modules/${other.runtime}`] ?? {};
    await clone.change('package-lock.json', integrity, integrity.toLowerCase());
    expect(await clone.release('--only', other.name)).toMatchObject({
      status: 1,
      stderr: `release: ${other.runtime} from npm is not the package of package-lock.json.\n`,
    });
  });
});
