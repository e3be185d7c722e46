import { contestantOf } from '../../bench/contestants.ts';
import type { LatencySample, Results, Sample } from '../../bench/results.ts';
import { workloads } from '../../bench/workloads.ts';

/** Results as a run might have them. */

export function sample(contestant: string, round: number, requestsPerSecond: number): Sample {
  return {
    workload: 'list',
    contestant,
    pets: 100_000,
    processes: 1,
    round,
    requestsPerSecond,
    errors: 0,
    serverCores: 1,
    loadCores: 0.5,
    cpuMicrosPerRequest: 1e6 / requestsPerSecond,
    peakMemoryMb: 60,
    readyMs: 100,
  };
}

export function latency(contestant: string): LatencySample {
  return {
    workload: 'list',
    contestant,
    pets: 100_000,
    processes: 1,
    round: 1,
    rate: 1000,
    answeredPerSecond: 1000,
    p50Ms: 0.2,
    p99Ms: 1.5,
    p999Ms: 3,
    maxMs: 9,
    generatorLagP99Ms: 0.1,
    errors: 0,
  };
}

export function resultsOf(samples: Sample[]): Results {
  return {
    startedAt: '2030-01-01T00:00:00.000Z',
    finishedAt: '2030-01-01T01:00:00.000Z',
    machine: { processor: 'a processor', cores: 2, memoryGb: 8, kernel: 'Linux', versions: { Bun: '1' } },
    method: {
      pets: 100_000,
      otherSizes: [],
      rounds: 3,
      secondsPerRound: 5,
      turnsPerRound: 4,
      warmUpSeconds: 1,
      latencyRounds: 3,
      latencySeconds: 2,
      connections: 64,
      loadGenerator: 'wrk',
      slowDisk: 'none',
    },
    contestants: ['petstore', 'limit-bun', 'fastify']
      .map(contestantOf)
      .map(({ id, name, kind, what, settings }) => ({ id, name, kind, what, settings, versions: '1.0.0' })),
    workloads: workloads.map(({ id, title }) => ({ id, title })),
    samples,
    latencies: ['petstore', 'limit-bun'].map(latency),
    remarks: [],
  };
}
