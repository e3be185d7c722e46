// Builds dist/petstore: one executable that needs neither Bun nor Node nor any other file.
//   bun scripts/build.ts [OUTFILE]
import { join, resolve } from 'node:path';
import { buildExecutable } from './executable.ts';

const outfile = resolve(process.argv[2] ?? join(import.meta.dir, '../dist/petstore'));
await buildExecutable({ outfile });
console.log(outfile);
