import { runProgram } from './program.ts';
import { define } from './sandbox.ts';

await runProgram('petstore-sandbox', define);
