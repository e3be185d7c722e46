import { join } from 'node:path';

/** As in slow-disk.c. */
export const slowDiskMs = 5;

/** The environment that makes every sync 5 ms slower; undefined without a C compiler. */
export function buildSlowDisk(folder: string): Record<string, string> | undefined {
  const compiler = Bun.which('cc');
  if (!compiler) return undefined;
  const [library, source] = [join(folder, 'slow-disk.so'), join(import.meta.dir, 'slow-disk.c')];
  const build = [compiler, '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'];
  const { success, stderr } = Bun.spawnSync(build, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (!success) throw new Error(`slow-disk.c does not compile:\n${stderr.toString()}`);
  return { LD_PRELOAD: library };
}
