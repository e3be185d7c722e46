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

  it('is found in a log with the Authorization header', () =>
    expect(leaveBehind("console.log(request.headers.get('Authorization'));")).rejects.toThrow(
      /the key …ests stands in the log; the key ….{4} stands in the log/,
    ));

  it('is found on standard error', () =>
    expect(leaveBehind("console.error(request.headers.get('Authorization'));")).rejects.toThrow(
      /the key …ests stands in standard error/,
    ));

  it('is found in a file', () =>
    expect(
      leaveBehind(
        "require('node:fs').appendFileSync('debug.txt', String(request.headers.get('Authorization')));",
      ),
    ).rejects.toThrow(/the key …ests stands in debug.txt; the key ….{4} stands in debug.txt/));
});
