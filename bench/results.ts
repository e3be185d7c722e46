/** The shape of the raw results: everything that RESULTS.md and the charts are made from. */

export interface Results {
  startedAt: string;
  finishedAt: string;
  machine: Machine;
  method: Method;
  contestants: ContestantEntry[];
  workloads: { id: string; title: string }[];
  samples: Sample[];
  latencies: LatencySample[];
  /** What was left out, and why. */
  remarks: string[];
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  versions: Record<string, string>;
}

export interface Method {
  /** The number of pets at which all are compared. */
  pets: number;
  /** Those at which the service alone was measured. */
  otherSizes: number[];
  rounds: number;
  secondsPerRound: number;
  /** In which a contestant got the seconds of a round. */
  turnsPerRound: number;
  warmUpSeconds: number;
  latencyRounds: number;
  latencySeconds: number;
  connections: number;
  loadGenerator: string;
  slowDisk: string;
}

export interface ContestantEntry {
  id: string;
  name: string;
  kind: ContestantKind;
  what: string;
  versions: string;
  settings: string;
}

export type ContestantKind = 'service' | 'limit' | 'peer' | 'ready-made';

/** Which measurement a figure belongs to. */
export interface Cell {
  workload: string;
  contestant: string;
  pets: number;
  processes: number;
}

export interface Sample extends Cell {
  round: number;
  requestsPerSecond: number;
  /** Answers that were not as expected, and broken connections. */
  errors: number;
  /** Cores that the server, with all its processes and threads, kept busy. */
  serverCores: number;
  loadCores: number;
  /** Cores that everything else on the machine kept busy, PostgreSQL and creates beside among it. */
  otherCores?: number;
  cpuMicrosPerRequest: number;
  /** The largest resident memory of any one process of the server. */
  peakMemoryMb: number;
  /** From the start of the process to its first good answer. */
  readyMs: number;
  /** Why this round does not count. */
  discarded?: string;
}

export interface LatencySample extends Cell {
  round: number;
  /** Requests that were due a second, whether the server kept up or not. */
  rate: number;
  answeredPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  maxMs: number;
  /** How late the load generator itself was: part of the figures above, and their floor. */
  generatorLagP99Ms: number;
  errors: number;
}

export function isSameCell(a: Cell, b: Cell): boolean {
  return (
    a.workload === b.workload &&
    a.contestant === b.contestant &&
    a.pets === b.pets &&
    a.processes === b.processes
  );
}
