import { describe, expect, it } from 'bun:test';
import type { TortureTest } from '../../torture/support/torture-test.ts';

const seed = Number(process.env['SEED'] ?? 1);

/**
 * A few rounds of a torture test, which must hold. Its control, and what depends on how fast the machine is, are left to
 * `npm run torture`.
 */
export function expectToHold(test: TortureTest, rounds: number): void {
  const missing = test.missing?.();
  const note = missing === undefined ? '' : ` (not run: ${missing})`;
  describe(`torture ${test.name}, SEED=${seed}${note}`, () => {
    it.skipIf(missing !== undefined)(`passes: ${test.passesWhen}`, async () => {
      const { faults } = await test.run({ rounds, seed, report: () => {}, isTimed: false });
      expect(faults).toEqual([]);
    });
  });
}
