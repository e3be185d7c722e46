import { loadWithServer, runProgram } from './program.ts';

await runProgram('petstore-mutants', async (program) => {
  const { define } = await loadWithServer(() => import('./mutants.ts'));
  define(program);
});
