import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outputOf, project } from '../command.ts';
import type { Source } from './source.ts';

/**
 * Writes the bill of materials: the service, the client and all they depend on, from the lockfile, in CycloneDX.
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
    components: { name: string; purl: string }[];
  };
  const metadata = { ...sbom.metadata, timestamp: committedAt.toISOString() };
  const components = sbom.components.map((each) =>
    each.purl.startsWith('pkg:npm/petstore-')
      ? { ...each, name: each.purl.replace(/^pkg:npm\/|@.*$/g, '') }
      : each,
  );
  await Bun.write(file, `${JSON.stringify({ ...sbom, metadata, components }, null, 2)}\n`);
}
