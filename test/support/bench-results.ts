import { contestantOf } from '../../bench/contestants/contestants.ts';
import { workloads } from '../../bench/load/workloads.ts';
import type { LatencySample, Results, Measurement } from '../../bench/report/results.ts';

/** Results as a run might have them. */

const list = { workload: 'list', pets: 100_000, processes: 1 };

export function sample(contestant: string, round: number, requestsPerSecond: number): Measurement {
  return {
    ...{
      ...list,
      contestant,
      round,
      requestsPerSecond,
      errors: 0,
      serverCores: 1,
      loadCores: 0.5,
      otherCores: 0,
    },
    ...{ cpuMicrosPerRequest: 1e6 / requestsPerSecond, peakMemoryMb: 60, readyMs: 100 },
  };
}

export function latency(contestant: string): LatencySample {
  return {
    ...{ ...list, contestant, round: 1, rate: 1000, answeredPerSecond: 1000, errors: 0 },
    ...{ p50Ms: 0.2, p99Ms: 1.5, p999Ms: 3, maxMs: 9, generatorLagP99Ms: 0.1 },
  };
}

export function resultsOf(samples: Measurement[]): Results {
  return {
    startedAt: '2030-01-01T00:00:00.000Z',
    finishedAt: '2030-01-01T01:00:00.000Z',
    machine: { processor: 'a processor', cores: 2, memoryGb: 8, kernel: 'Linux', versions: { Bun: '1' } },
    method: {
      ...{ pets: 100_000, rounds: 3, secondsPerRound: 1, turnsPerRound: 4 },
      ...{ latencySeconds: 2, connections: 64, warmUp: '3 s' },
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
