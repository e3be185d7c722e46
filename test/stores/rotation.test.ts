import { describe, expect, it } from 'bun:test';
import { issueKey, rotateKey } from '../../src/stores/issue-key.ts';
import { isUsable } from '../../src/domain/api-key.ts';
import { codeOf } from '../support/code-of.ts';
import { stores } from '../support/stores.ts';

for (const [name, makePlace] of Object.entries(stores)) {
  describe(`a rotation on ${name}`, () => {
    it('makes one key, however often it runs at once, and both keys are found during the overlap', async () => {
      const place = await makePlace();
      const both = [await place.open({}), await place.open({})];
      try {
        const [{ keys }, other] = [both[0]!, both[1]!];
        const now = new Date();
        await issueKey(keys, { name: 'window', now, mayDelete: false });
        const rotation = { now, overlapMs: 60_000, deliver: async () => {} };
        const outcomes = await Promise.all(
          both.flatMap((store) => [1, 2, 3].map(() => codeOf(rotateKey(store.keys, '1', rotation)))),
        );
        expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
        const usable = (await other.keys.listKeys()).filter((key) => isUsable(key, Date.now()));
        expect(usable).toMatchObject([
          { id: '1', replacedBy: usable[1]!.id, expiresAt: new Date(now.getTime() + 60_000) },
          { name: 'window', isReadOnly: false, mayDelete: false },
        ]);
        for (const { id, hash } of usable) expect(await keys.findKey(hash)).toMatchObject({ id });
      } finally {
        await Promise.all(both.map((store) => store.close()));
        await place[Symbol.asyncDispose]();
      }
    });
  });
}
