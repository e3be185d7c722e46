import type { Latencies } from '../load/constant-rate.ts';

/** The raw results of a run: RESULTS.md and the chart are made from nothing else. */
export interface Results {
  startedAt: string;
  finishedAt: string;
  machine: {
    processor: string;
    cores: number;
    memoryGb: number;
    kernel: string;
    versions: Record<string, string>;
  };
  method: Method;
  contestants: ContestantEntry[];
  workloads: { id: string; title: string }[];
  samples: Sample[];
  latencies: LatencySample[];
  /** What failed, and why. */
  remarks: string[];
}

export interface Method {
  /** The number of pets at which all are compared. */
  pets: number;
  rounds: number;
  secondsPerRound: number;
  /** A contestant gets the seconds of a round in so many turns. */
  turnsPerRound: number;
  latencySeconds: number;
  connections: number;
}

export interface ContestantEntry {
  id: string;
  name: string;
  kind: 'service' | 'limit' | 'peer' | 'ready-made';
  what: string;
  settings: string;
  versions: string;
}

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
  /** Unexpected responses and broken connections. */
  errors: number;
  /** Cores that the server, with all its processes and threads, kept busy. */
  serverCores: number;
  loadCores: number;
  /** Cores that everything else kept busy, including PostgreSQL and the creates beside a load. */
  otherCores: number;
  cpuMicrosPerRequest: number;
  /** The largest resident memory of any one process of the server. */
  peakMemoryMb: number;
  /** From the start of the process to its first good response. */
  readyMs: number;
  /** Why this round does not count. */
  discarded?: string;
}

export interface LatencySample extends Cell, Latencies {
  round: number;
  /** Requests due per second, whether the server kept up or not. */
  rate: number;
}
