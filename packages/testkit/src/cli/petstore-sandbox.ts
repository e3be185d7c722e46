import { requireServer, runProgram } from './program.ts';

await runProgram('petstore-sandbox', async (program) => {
  requireServer();
  const { define } = await import('./sandbox.ts');
  define(program);
});
