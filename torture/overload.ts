import { againstBroken, type Patch } from './broken-program.ts';
import { percentile, round } from './load.ts';
import { memoryMb } from './resources.ts';
import { serve } from './serve.ts';
import { runFlood, usefulPerSecond } from './start-flood.ts';
import type { Run, TortureTest } from './torture-test.ts';

const peakConnections = 256;
const mix = { createEvery: 10, patienceMs: 2000 };
const recoverWithinMs = 5000;
const memoryBoundMb = 512;
/** Shorter runs say nothing about throughput. */
const longEnoughSeconds = 60;

/**
 * A round is a second of overload. Callers wait for their answers, so the load is counted in callers: ten times as
 * many as give the peak, each impatient, each asking again at once.
 */
const run: Run = async ({ rounds: seconds, report, program }) => {
  await using service = await serve({ program });
  const calm = await runFlood(service.url, {
    ...mix,
    connections: peakConnections,
    seconds: Math.min(15, Math.max(4, seconds)),
  });
  const peak = usefulPerSecond(calm);
  report(`peak ${round(peak, 0)} useful answers a second`);

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
  const answered = overloaded.reduce((sum, second) => sum + second.useful + second.refused, 0);
  return {
    figures: {
      'seconds of overload': seconds,
      'peak, useful/s': round(peak, 0),
      'overloaded, useful/s': round(useful, 0),
      'share of peak, %': round((useful / peak) * 100),
      answered,
      refused: overloaded.reduce((sum, { refused }) => sum + refused, 0),
      'given up or cut': overloaded.reduce((sum, { failed }) => sum + failed, 0),
      'largest memory, MiB': round(largest, 0),
      'recovery, ms': round(recoveryMs, 0),
    },
    faults: [
      ...(seconds >= longEnoughSeconds && useful < peak * 0.8
        ? [`useful throughput fell to ${round((useful / peak) * 100)} % of its peak`]
        : []),
      ...(largest > memoryBoundMb ? [`memory grew to ${round(largest, 0)} MiB`] : []),
      ...(recoveryMs > recoverWithinMs ? [`it took ${round(recoveryMs / 1000)} s to recover`] : []),
    ],
  };
};

/** Recovered: ten quick answers in a row. */
async function untilCalm(call: (path: string) => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  for (let inARow = 0; inARow < 10 && performance.now() - startedAt < 60_000;) {
    const askedAt = performance.now();
    const { status } = await call('/v1/pets?limit=20');
    inARow = status === 200 && performance.now() - askedAt < 100 ? inARow + 1 : 0;
  }
  return performance.now() - startedAt;
}

/** Every request leaves 10 kB behind. */
export const leakMemory: Patch[] = [
  {
    file: 'src/http/endpoint.ts',
    find: '      const requestId = requestIdOf(request);',
    replace: `      const requestId = requestIdOf(request);
      ((globalThis as { leaked?: unknown[] }).leaked ??= []).push(Buffer.alloc(10_000, 1));`,
  },
];

export const overload: TortureTest = {
  name: 'overload',
  description: 'overload: ten times the callers that give the peak, impatient, for 3 minutes',
  passesWhen: `useful throughput ≥ 80 % of its peak; memory below ${memoryBoundMb} MiB; calm within 5 s`,
  rounds: 180,
  unit: 'seconds',
  run,
  control: { description: 'every request leaks 10 kB', rounds: 6, run: againstBroken(run, leakMemory) },
};
