import { describe, expect, it } from 'bun:test';
import { breakProgram } from '../../torture/support/broken-program.ts';
import { issueKey } from '../../torture/support/issue-key.ts';
import { serve } from '../../torture/support/serve.ts';

const place = {
  file: 'src/http/endpoint.ts',
  find: '    const requestId = requestIdOf(request);',
};

/** Runs a service that was changed like this, calls it once with each key and ends it. */
async function leaveBehind(change: string): Promise<void> {
  using broken = breakProgram([{ ...place, replace: `${place.find}\n${change}` }]);
  await using service = await serve({ program: broken.program });
  const { key } = await issueKey(service.database);
  expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
  expect((await service.call('/v1/pets')).status).toBe(200);
}

describe('a key that the tests issue', () => {
  it('is nowhere in what a sound service leaves behind', () =>
    expect(leaveBehind('')).resolves.toBeUndefined());

  it('is found in a log, on standard error and in a file', async () => {
    const header = "request.headers.get('Authorization')";
    const appendFile = "require('node:fs').appendFileSync";
    const leaks = `console.log(${header}); console.error(${header}); ${appendFile}('debug.txt', ${header} ?? '');`;
    const found = await leaveBehind(leaks).catch(String);
    for (const leak of ['the log', 'standard error', 'debug.txt']) {
      expect(found).toContain(`the key …ests stands in ${leak}`);
    }
  });
});
