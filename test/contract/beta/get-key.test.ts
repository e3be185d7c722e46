import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { openService } from '../../support/http/service.ts';

const service = await openService();
afterAll(() => service.close());

describe('getKey', () => {
  it('describes a key of the store', async () => {
    const now = new Date(Date.now() - 1000);
    const expiresAt = new Date(now.getTime() + 3_600_000);
    const keys = [
      { name: 'till "2"', now, expiresAt },
      { name: 'window', now, isReadOnly: true },
    ];
    const [till, window] = await Promise.all(keys.map((key) => issueKey(service.keys, key)));
    const asTill = (to: string, init?: RequestInit) => service.callAs(`Bearer ${till!.text}`, to, init);
    expect(await (await asTill('/v1/key')).json()).toEqual({
      name: 'till "2"',
      readOnly: false,
      mayDelete: true,
      createdAt: now.toISOString(),
      expiresAt: expiresAt.toISOString(),
    });
    const revokedAt = new Date(now.getTime() + 60_000);
    await service.keys.revokeKey(till!.key.id, revokedAt);
    // PostgreSQL may lag by one second.
    const untilTold = async () => {
      const { expiresAt: told } = (await (await asTill('/v1/key')).json()) as { expiresAt: string };
      return told === revokedAt.toISOString();
    };
    while (!(await untilTold())) await Bun.sleep(20);
    const ofWindow = await service.callAs(`Bearer ${window!.text}`, '/v1/key');
    expect(await ofWindow.json()).toEqual({
      name: 'window',
      readOnly: true,
      mayDelete: false,
      createdAt: now.toISOString(),
    });
  });
});
