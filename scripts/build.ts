// Builds dist/petstore: one executable that needs neither Bun nor Node nor any other file.
//   bun scripts/build.ts [OUTFILE]
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embedAssets } from './embed-assets.ts';

const source = join(import.meta.dir, '../src');
const outfile = resolve(process.argv[2] ?? join(import.meta.dir, '../dist/petstore'));

mkdirSync(dirname(outfile), { recursive: true });
await Bun.build({
  // Threads are loaded by path at run time, so the bundler does not find them.
  entrypoints: [join(source, 'cli/petstore.ts'), join(source, 'sqlite/writer-thread.ts')],
  // All files of the executable are in one folder, where the program finds `./writer-thread.ts`.
  naming: { entry: '[name].[ext]' },
  plugins: [await embedAssets()],
  // Files in the current folder may be anybody's: they must not configure it or run in it.
  compile: { outfile, autoloadBunfig: false, autoloadDotenv: false, autoloadTsconfig: false },
});
console.log(outfile);
