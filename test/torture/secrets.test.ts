import { describe, expect, it } from 'bun:test';
import { brokenLayer } from '../../torture/support/against-broken.ts';
import { issueKey } from '../../torture/support/issue-key.ts';
import { serve } from '../../torture/support/serve.ts';

/** Runs a service, calls it once with each key and ends it. */
async function leaveBehind(broken?: string): Promise<void> {
  await using service = await serve({ broken });
  const { key } = await issueKey(service.database);
  expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
  expect((await service.call('/v1/pets')).status).toBe(200);
}

describe('a key that the tests issue', () => {
  it('is nowhere in what a sound service leaves behind', () =>
    expect(leaveBehind()).resolves.toBeUndefined());

  it('is found in a log, on standard error and in a file', async () => {
    const found = await leaveBehind(brokenLayer('spoken-keys')).catch(String);
    for (const leak of ['the log', 'standard error', 'debug.txt']) {
      expect(found).toContain(`the key …ests stands in ${leak}`);
    }
  });
});
