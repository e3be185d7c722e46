import { requireServer, runProgram } from './program.ts';

await runProgram('petstore-mutants', async (program) => {
  requireServer();
  const { define } = await import('./mutants.ts');
  define(program);
});
