import { describe, expect, it } from 'bun:test';
import type { TortureTest } from '../../torture/support/torture-test.ts';

export interface ShortRun {
  rounds: number;
  /** The rounds of the control, when fewer than its own are enough. */
  controlRounds?: number;
  /** Leaves the control to `npm run torture`. */
  isControlSlow?: boolean;
  timeoutMs?: number;
}

const seed = Number(process.env['SEED'] ?? 1);

/**
 * A few rounds of a torture test, which must hold, and its control, which must not. What takes long, or depends on how
 * fast the machine is, is left to `npm run torture`.
 */
export function expectToHold(test: TortureTest, options: ShortRun): void {
  const { rounds, controlRounds = test.control.rounds, timeoutMs = 120_000 } = options;
  const common = { seed, report: () => {}, isTimed: false };
  const missing = test.missing?.();
  const note = missing === undefined ? '' : ` (not run: ${missing})`;
  describe(`torture ${test.name}, SEED=${seed}${note}`, () => {
    it.skipIf(missing !== undefined)(
      `passes: ${test.passesWhen}`,
      async () => {
        expect((await test.run({ ...common, rounds })).faults).toEqual([]);
      },
      timeoutMs,
    );

    if (options.isControlSlow) return;
    it.skipIf(missing !== undefined)(
      `fails against a broken program: ${test.control.description}`,
      async () => {
        const { faults } = await test.control.run({ ...common, rounds: controlRounds });
        expect(faults).not.toEqual([]);
      },
      timeoutMs,
    );
  });
}
