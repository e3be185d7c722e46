import { expect, it } from 'bun:test';
import { join } from 'node:path';

it('logs an error that nobody catches, and ends the process with 1', async () => {
  const sources = join(import.meta.dir, '../../src/system');
  const program = `
    import { createLog } from '${sources}/log.ts';
    import { catchCrashes } from '${sources}/signals.ts';
    catchCrashes(createLog({ level: 'info', write: (line) => process.stdout.write(line) }));
    setTimeout(() => { throw new Error('a bug'); });`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ message: 'crash' });
  expect(await child.exited).toBe(1);
});
