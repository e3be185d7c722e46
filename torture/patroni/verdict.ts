import { round } from '../../test/support/statistics.ts';
import { faultsOf, judge, type Row } from '../support/judge.ts';
import type { Figures } from '../support/torture-test.ts';
import type { Witness } from './callers.ts';
import { patienceMs, type KeyDelays } from './keys.ts';

/** Past this the client gives up. */
const longestGapMs = 60_000;
/** The promise of SECURITY.md, for new and for revoked keys. */
const keyMs = 1000;
/** The promise of docs/scale.md: how long HAProxy may leave sessions on an old primary after a promotion. */
const staleMs = 3000;

/** What one fault did to the replicas. */
export interface Observation {
  fault: string;
  witness: Witness;
  keys: KeyDelays;
}

export interface Verdict {
  figure: Figures;
  faults: string[];
}

/** Compares what the callers of the replicas have seen with what the leader holds at the end. */
export function judgeOne({ fault, witness, keys }: Observation, rows: Row[]): Verdict {
  const { journal, missed, wrong, writeGapMs } = witness;
  const judgement = judge(
    rows.filter(({ name }) => journal.attempted.has(name)),
    journal,
  );
  const there = new Set(rows.map(({ id }) => id));
  // What is not there at the end either was lost, and is counted as that.
  const stale = missed.filter(({ id }) => there.has(id)).map(({ at }) => at);
  const staleForMs = stale.length === 0 ? 0 : stale.at(-1)! - stale[0]!;
  const staleReads = stale.length === 0 ? '0' : `${stale.length} (over ${seconds(staleForMs)})`;
  const { acknowledged, lost, doubled } = judgement;
  const failed = `503 for ${witness.failed.creates} creates and ${witness.failed.reads} reads`;
  const problems = [
    ...faultsOf(judgement),
    ...(staleForMs > staleMs ? [`stale reads: ${staleReads}`] : []),
    ...[...wrong].map(([what, count]) => `${count} × ${what}`),
    ...(keys.newMs > keyMs ? [`a new key was refused for ${seconds(keys.newMs)}`] : []),
    ...(keys.revokedMs > keyMs ? [`a revoked key was accepted for ${seconds(keys.revokedMs)}`] : []),
    ...(writeGapMs > longestGapMs ? [`nothing was acknowledged for ${seconds(writeGapMs)}`] : []),
  ];
  const figure =
    `${summaryOf(witness)}; ${failed}; acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, ` +
    `stale reads ${staleReads}; revoked key refused after ${seconds(keys.revokedMs)}`;
  return {
    figure: { [fault]: figure },
    faults: problems.map((problem) => `${fault}: ${problem}`),
  };
}

function seconds(ms: number): string {
  return ms === Infinity ? `more than ${patienceMs / 1000} s` : `${round(ms / 1000)} s`;
}

export function summaryOf({ writeGapMs, readGapMs }: Witness): string {
  return `longest gap ${seconds(writeGapMs)} for creates, ${seconds(readGapMs)} for reads`;
}
