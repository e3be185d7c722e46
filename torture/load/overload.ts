import { percentile, round } from '../../test/support/statistics.ts';
import { memoryMb } from '../../test/support/process/process-figures.ts';
import { againstBroken } from '../support/against-broken.ts';
import { serve } from '../support/serve.ts';
import type { FloodSecond } from './flood.ts';
import { runFlood, usefulPerSecond } from './start-flood.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const peakConnections = 256;
const mix = { createEvery: 10, patienceMs: 2000 };
const recoverWithinMs = 5000;
const memoryBoundMb = 512;
const leastShare = 0.8;
/** In a short run, the noise of a moment looks like this much. */
const leastShareOfShort = 0.3;
const longEnoughSeconds = 60;

/**
 * A round is a second of overload. Callers wait for their responses, so the load is counted in callers: ten times as
 * many as give the peak, each impatient, each asking again at once.
 */
const run: Run = async ({ rounds: seconds, report, broken }) => {
  await using service = await serve({ broken });
  await service.call('/v1/pets');
  const calm = await runFlood(service.url, {
    ...mix,
    connections: peakConnections,
    seconds: Math.min(15, seconds),
  });
  const peak = usefulPerSecond(calm);
  report(`peak ${round(peak, 0)} useful responses a second`);

  const memory: number[] = [];
  const overloaded = await runFlood(
    service.url,
    { ...mix, connections: peakConnections * 10, seconds },
    (second, passed) => {
      memory.push(memoryMb(service.pid));
      if (passed % 20 === 0)
        report(`${passed} s of overload, ${second.useful} useful, ${round(memory.at(-1) ?? 0, 0)} MiB`);
    },
  );
  const useful = usefulPerSecond(overloaded);
  const recoveryMs = await untilCalm(service.call);
  const largest = percentile(memory, 1);
  const sumOf = (kind: keyof FloodSecond) => overloaded.reduce((sum, second) => sum + second[kind], 0);
  const leastOf = seconds < longEnoughSeconds ? leastShareOfShort : leastShare;
  return {
    figures: {
      'seconds of overload': seconds,
      'peak, useful/s': round(peak, 0),
      'overloaded, useful/s': round(useful, 0),
      'share of peak, %': round((useful / peak) * 100),
      responses: sumOf('useful') + sumOf('refused') + sumOf('wrong'),
      refused: sumOf('refused'),
      'given up or cut': sumOf('failed'),
      'largest memory, MiB': round(largest, 0),
      'recovery, ms': round(recoveryMs, 0),
    },
    faults: [
      ...(useful < peak * leastOf
        ? [`useful throughput fell to ${round((useful / peak) * 100)} % of its peak`]
        : []),
      ...(largest > memoryBoundMb ? [`memory grew to ${round(largest, 0)} MiB`] : []),
      ...(sumOf('wrong') > 0 ? [`${sumOf('wrong')} responses were neither good nor 503`] : []),
      ...(recoveryMs > recoverWithinMs ? [`it took ${round(recoveryMs / 1000)} s to recover`] : []),
    ],
  };
};

/** Recovered: ten quick responses in a row. */
async function untilCalm(call: (path: string) => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  for (let inARow = 0; inARow < 10 && performance.now() - startedAt < 60_000;) {
    const askedAt = performance.now();
    const { status } = await call('/v1/pets?limit=20');
    const isQuick = performance.now() - askedAt < 100;
    inARow = status === 200 && isQuick ? inARow + 1 : 0;
  }
  return performance.now() - startedAt;
}

export const overload: TortureTest = {
  name: 'overload',
  description: 'ten times the callers that reach the peak, all impatient, for 3 minutes',
  passesWhen: `useful throughput ≥ 80 % of its peak; memory below ${memoryBoundMb} MiB; calm within 5 s`,
  rounds: 180,
  unit: 'seconds',
  run,
  control: {
    description: 'every request leaks memory, and the service grows slow',
    rounds: 6,
    run: againstBroken(run, 'leaks'),
  },
};
