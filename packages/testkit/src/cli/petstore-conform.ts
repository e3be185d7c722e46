import { define } from './conform.ts';
import { runProgram } from './program.ts';

await runProgram('petstore-conform', define);
