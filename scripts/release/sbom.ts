import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outputOf, project } from '../command.ts';
import type { Source } from './source.ts';

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
}

/** What Bun is linked with and no lockfile names. The Bun of every platform has the same. */
const insideBun = [
  linked('sqlite', 'pkg:generic/sqlite'),
  linked('boringssl', 'pkg:github/google/boringssl'),
];

function linked(name: string, purl: string): Component {
  const version = process.versions[name] ?? '';
  return { 'bom-ref': `${name}@${version}`, type: 'library', name, version, purl: `${purl}@${version}` };
}

/**
 * Writes the bill of materials in CycloneDX: the service, the client, all they depend on, and what is inside Bun.
 * `npm sbom --omit=dev` also leaves out packages that development shares (pg, commander), so npm gets a lockfile
 * without development packages instead. It names the root and a workspace after their folders.
 */
export async function writeSbom(file: string, folder: string, { committedAt }: Source): Promise<void> {
  const copy = join(folder, 'petstore-server');
  const workspaces = ['packages/client', 'packages/console'];
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
  const components = sbom.components.map((each) =>
    each.purl.startsWith('pkg:npm/petstore-')
      ? { ...each, name: each.purl.replace(/^pkg:npm\/|@.*$/g, '') }
      : each,
  );
  const refs = insideBun.map((each) => each['bom-ref']);
  sbom.dependencies.find(({ ref }) => ref === `bun@${Bun.version}`)?.dependsOn.push(...refs);
  sbom.dependencies.push(...refs.map((ref) => ({ ref, dependsOn: [] })));
  const all = { ...sbom, metadata, components: [...components, ...insideBun] };
  await Bun.write(file, `${JSON.stringify(all, null, 2)}\n`);
}
