/** The raw results of a run: RESULTS.md and the chart are made from nothing else. */
export interface Results {
  startedAt: string;
  finishedAt: string;
  machine: Record<'processor' | 'kernel', string> &
    Record<'cores' | 'memoryGb', number> & { versions: Record<string, string> };
  /** All are compared at this number of pets. The seconds of a round are cut into turns. */
  method: Record<'pets' | 'rounds' | 'secondsPerRound' | 'turnsPerRound', number> &
    Record<'latencySeconds' | 'connections', number> & { warmUp: string };
  contestants: ContestantEntry[];
  workloads: { id: string; title: string }[];
  samples: Measurement[];
  latencies: LatencySample[];
  /** What failed, and why. */
  remarks: string[];
}

export interface ContestantEntry {
  id: string;
  name: string;
  kind: 'service' | 'limit' | 'peer';
}

/** Which measurement a figure belongs to. */
export interface Cell {
  workload: string;
  contestant: string;
  pets: number;
}

export interface Measurement extends Cell {
  round: number;
  requestsPerSecond: number;
  errors: number;
  /** Cores that the server, the load generator and everything else kept busy. */
  serverCores: number;
  loadCores: number;
  otherCores: number;
  cpuMicrosPerRequest: number;
  /** The largest resident memory of any one process of the server. */
  peakMemoryMb: number;
  /** From the start of the process to its first good response. */
  readyMs: number;
  /** What the server read from the disk; absent in older results. */
  diskReadMb?: number;
  /** Why this round does not count. */
  discarded?: string;
}

export interface Latencies {
  answeredPerSecond: number;
  errors: number;
  p99Ms: number;
}

/** `rate` counts the requests due per second, whether the server kept up or not. */
export type LatencySample = Cell & Latencies & { round: number; rate: number };
