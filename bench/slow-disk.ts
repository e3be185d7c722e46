import { join } from 'node:path';

/** The environment that gives a program a disk whose sync takes 5 ms longer. */
export type SlowDisk = { LD_PRELOAD: string };

/** As slow-disk.c has it. */
export const slowDiskMs = 5;

/** Compiles the shim; undefined on a machine without a C compiler. */
export function buildSlowDisk(folder: string): SlowDisk | undefined {
  const compiler = Bun.which('cc');
  if (!compiler) return undefined;
  const library = join(folder, 'slow-disk.so');
  const source = join(import.meta.dir, 'slow-disk.c');
  const { success, stderr } = Bun.spawnSync(
    [compiler, '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (!success) throw new Error(`slow-disk.c does not compile:\n${stderr.toString()}`);
  return { LD_PRELOAD: library };
}
