import { loadWithServer, runProgram } from './program.ts';

await runProgram('petstore-sandbox', async (program) => {
  const { define } = await loadWithServer(() => import('./sandbox.ts'));
  define(program);
});
