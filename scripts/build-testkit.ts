// Builds what `npm pack -w petstore-testkit` packs beside the sources: petstore-conform as one module for Node.
//   bun scripts/build-testkit.ts
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dir, '../packages/testkit');
const dist = join(folder, 'dist');

rmSync(dist, { recursive: true, force: true });
await Bun.build({
  entrypoints: [join(folder, 'src/cli/petstore-conform.ts')],
  target: 'node',
  packages: 'external',
  outdir: dist,
});
