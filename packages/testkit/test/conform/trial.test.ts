import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { cleanEnvironment, runKit } from '../../../../test/support/process/process.ts';
import { startProgram } from '../../../../test/support/process/running.ts';

const fixture = join(import.meta.dir, '../../../../test/fixtures/express-shop');
const apiKey = 'key-of-the-express-shop';

/** What differs from run to run: the ids of the run and of the pets, lists, the port and the time. */
function withoutChance(report: string): string {
  return report
    .replaceAll(/conform [0-9a-f]{8} /g, 'conform ')
    .replaceAll(/"id":\d+/g, '"id":N')
    .replaceAll(/\/pets\/\d+/g, '/pets/N')
    .replaceAll(/200 \[.*/g, '200 [a list]')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/in [\d.]+ s\./g, 'in N s.');
}

/** The report names each mistake of the shop once, with all that is needed to fix it. */
it('reports an Express implementation so that each finding can be fixed from its text', async () => {
  await using shop = startProgram(['node', join(fixture, 'server.mjs')], {
    cwd: fixture,
    env: cleanEnvironment({ SHOP_KEY: apiKey, NODE_ENV: 'production' }),
  });
  const [url] = await shop.stdout.untilMatch(/^.*(?=\n)/);
  const { status, stdout } = await runKit('conform', [url, '--api-key', apiKey]);
  expect(status).toBe(1);
  const [, ...findings] = withoutChance(stdout).split('\n\n');
  expect(findings.join('\n\n')).toBe(await Bun.file(join(fixture, 'report.txt')).text());
});
