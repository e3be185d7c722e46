// Makes dist/petstore: one executable that needs neither Bun, Node nor any other file.
//   bun scripts/build.ts [OUTFILE]
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embedPages } from './embed-pages.ts';

const source = join(import.meta.dir, '../src');
const outfile = resolve(process.argv[2] ?? join(import.meta.dir, '../dist/petstore'));

mkdirSync(dirname(outfile), { recursive: true });
await Bun.build({
  // Threads are loaded by their path while the program runs, so the bundler does not find them by itself.
  entrypoints: [join(source, 'cli/petstore.ts'), join(source, 'sqlite/writer-thread.ts')],
  // Inside the executable every file lies in one folder, where `./writer-thread.ts` is found from the program.
  naming: { entry: '[name].[ext]' },
  plugins: [await embedPages()],
  // Files in the folder where it is started are anybody's: they neither configure it nor run in it.
  compile: { outfile, autoloadBunfig: false, autoloadDotenv: false, autoloadTsconfig: false },
});
console.log(outfile);
