import { createHash } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { outputOf, project } from '../command.ts';
import type { Platform } from './platforms.ts';
import type { Source } from './source.ts';

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl?: string;
  licenses?: { license: { id: string } }[];
  hashes?: { alg: string; content: string }[];
}

/** What Bun contains and the lockfile does not name. It is the same on every platform. */
const insideBun = [
  linked('sqlite', 'pkg:generic/sqlite', 'blessing'),
  linked('boringssl', 'pkg:github/google/boringssl', 'Apache-2.0'),
];

function linked(name: string, purl: string, licence: string): Component {
  const version = process.versions[name] ?? '';
  const licenses = [{ license: { id: licence } }];
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `${purl}@${version}`,
    licenses,
  };
}

/**
 * Writes the bill of materials in CycloneDX: the service, the client, all they depend on, what is inside Bun, and the
 * executables, by their platforms. `npm sbom --omit=dev` also leaves out packages that development shares (pg,
 * commander), so npm gets a lockfile without development packages instead. It names the root and a workspace after their
 * folders.
 */
export async function writeSbom(
  file: string,
  folder: string,
  { committedAt, version }: Source,
  executables: Map<Platform, string>,
): Promise<void> {
  const copy = join(folder, 'petstore-server');
  const workspaces = ['packages/client', 'packages/web'];
  for (const name of ['package-lock.json', '.npmrc', ...workspaces.map((path) => `${path}/package.json`)]) {
    await mkdir(dirname(join(copy, name)), { recursive: true });
    await cp(join(project, name), join(copy, name));
  }
  const { devDependencies: _, ...manifest } = (await Bun.file(join(project, 'package.json')).json()) as {
    devDependencies: unknown;
  };
  await Bun.write(join(copy, 'package.json'), JSON.stringify({ ...manifest, workspaces }));
  const prune = ['npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--silent'];
  await outputOf(prune, { cwd: copy });
  const list = ['npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--silent'];
  const { serialNumber: __, ...sbom } = JSON.parse(await outputOf(list, { cwd: copy })) as {
    serialNumber: string;
    metadata: Record<string, unknown>;
    components: Component[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const metadata = { ...sbom.metadata, timestamp: committedAt.toISOString() };
  const runtimes = [...executables.keys()].map(({ runtime }) => runtime);
  // The lockfile names the Bun of every system that Bun runs on.
  const isInside = (ref: string) =>
    !ref.startsWith('@oven/') || runtimes.some((runtime) => ref.startsWith(`${runtime}@`));
  const packages = sbom.components.filter((each) => isInside(each['bom-ref']));
  for (const each of packages) {
    if (each.purl?.startsWith('pkg:npm/petstore-')) each.name = each.purl.replace(/^pkg:npm\/|@.*$/g, '');
  }
  const files: Component[] = [];
  for (const path of executables.values()) {
    const name = basename(path);
    const content = createHash('sha256')
      .update(await Bun.file(path).bytes())
      .digest('hex');
    const hashes = [{ alg: 'SHA-256', content }];
    files.push({ 'bom-ref': name, type: 'application', name, version, hashes });
  }
  const bunRefs = insideBun.map((each) => each['bom-ref']);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => isInside(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [...dependsOn.filter(isInside), ...(ref === `bun@${Bun.version}` ? bunRefs : [])],
    }));
  const leaves = [...insideBun, ...files].map((each) => ({ ref: each['bom-ref'], dependsOn: [] }));
  const all = {
    ...sbom,
    metadata,
    components: [...packages, ...insideBun, ...files],
    dependencies: [...dependencies, ...leaves],
  };
  await Bun.write(file, `${JSON.stringify(all, null, 2)}\n`);
}
