// Builds one executable that needs neither Bun nor Node nor any other file.
//   bun scripts/build.ts [OUTFILE] [petstore or petstore-sandbox]
import { join, resolve } from 'node:path';
import { buildExecutable, type Program } from './executable.ts';

const [, , path, program = 'petstore'] = process.argv;
const outfile = resolve(path ?? join(import.meta.dir, '../dist', program));
await buildExecutable({ outfile, program: program as Program });
console.log(outfile);
