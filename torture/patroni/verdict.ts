import { round } from '../../test/support/statistics.ts';
import type { Journal } from '../../test/support/journal.ts';
import type { Callers } from '../support/callers.ts';
import { faultsOf, judge, type Row } from '../support/judge.ts';
import type { Figures } from '../support/torture-test.ts';

/** Past this the client gives up. */
const longestGapMs = 60_000;
/** The promise of docs/scale.md: how long HAProxy may leave sessions on an old primary after a promotion. */
const staleMs = 3000;

/** What one fault did to the replicas. */
export interface Observation {
  fault: string;
  journal: Journal;
  /** Of each replica. */
  creators: Callers[];
  readers: Callers[];
}

export interface Verdict {
  figure: Figures;
  faults: string[];
}

/** Compares what the callers of the replicas have seen with what the leader holds at the end. */
export function judgeOne(observation: Observation, rows: Row[]): Verdict {
  const { fault, journal, creators, readers } = observation;
  const judgement = judge(
    rows.filter(({ name }) => journal.attempted.has(name)),
    journal,
  );
  // A pet that was acknowledged before it was asked for.
  const stale = readers.flatMap(({ failed }) => failed.get('got 404') ?? []).toSorted((a, b) => a - b);
  const staleForMs = stale.length === 0 ? 0 : stale.at(-1)! - stale[0]!;
  const staleReads = stale.length === 0 ? '0' : `${stale.length} (over ${seconds(staleForMs)})`;
  const allowed = new Set(['got 503', 'got 404']);
  const wrong = [...creators, ...readers].flatMap(({ failed }) =>
    [...failed].filter(([what]) => !allowed.has(what)),
  );
  const unavailable = (callers: Callers[]) =>
    callers.reduce((sum, { failed }) => sum + (failed.get('got 503')?.length ?? 0), 0);
  const { acknowledged, lost, doubled } = judgement;
  const problems = [
    ...faultsOf(judgement),
    ...(staleForMs > staleMs ? [`stale reads: ${staleReads}`] : []),
    ...wrong.map(([what, times]) => `${times.length} requests ${what}`),
    ...(longestGap(creators) > longestGapMs
      ? [`nothing was acknowledged for ${seconds(longestGap(creators))}`]
      : []),
  ];
  const figure =
    `${summaryOf(observation)}; 503 for ${unavailable(creators)} creates and ${unavailable(readers)} reads; ` +
    `acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, ` +
    `stale reads ${staleReads}`;
  return {
    figure: { [fault]: figure },
    faults: problems.map((problem) => `${fault}: ${problem}`),
  };
}

function seconds(ms: number): string {
  return `${round(ms / 1000)} s`;
}

export function summaryOf({ creators, readers }: Observation): string {
  return `longest gap ${seconds(longestGap(creators))} for creates, ${seconds(longestGap(readers))} for reads`;
}

function longestGap(callers: Callers[]): number {
  return Math.max(...callers.map(({ gapMs }) => gapMs));
}
