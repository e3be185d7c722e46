import { describe, expect, it } from 'bun:test';
import { spellings } from '../../bench/contestants/spelling.ts';
import { latencyRate, orderOf, planLatency, planThroughput } from '../../bench/load/plan.ts';
import { workloadOf, workloads } from '../../bench/load/workloads.ts';
import { wholePlan } from '../../bench/run.ts';
import { resultsOf, sample } from '../support/bench-results.ts';

describe('the plan of the benchmark', () => {
  it.each([2, 6, 15])('puts each of %i contestants early as often as late', (count) => {
    const rounds = 7;
    const places = Array.from({ length: count }, () => 0);
    const items = [...places.keys()];
    for (let round = 1; round <= rounds; round++) {
      const order = orderOf(items, round, rounds);
      expect(order.toSorted((a, b) => a - b)).toEqual(items);
      for (const [place, item] of order.entries()) places[item]! += place / (count - 1) / rounds;
    }
    for (const place of places) expect(place).toBeWithin(0.3, 0.7);
  });

  it('asks for no random page twice, however few there are', () => {
    const requests = workloadOf('list-random').requests(spellings.own, 1000);
    const paths = requests.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(10_000);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('compares every workload, in at least three rounds, at every size', () => {
    const groups = planThroughput(wholePlan);
    const planned = groups.map((cells) => [...new Set(cells.map(({ workload }) => workload))]);
    expect(planned.flat()).toEqual(workloads.map(({ id }) => id));
    expect(planned).toContainEqual(['slow-disk-quiet', 'slow-disk-busy']);
    expect(groups.every((cells) => cells.length > 1)).toBeTrue();
    expect(wholePlan.rounds).toBeGreaterThanOrEqual(3);
    const sizes = new Set(groups.flat().map(({ pets }) => pets));
    expect([...sizes].toSorted((a, b) => a - b)).toEqual([1e3, 1e5, 1e7]);
  });

  it('measures latency at half the speed that the slowest of a store had in its slowest round', () => {
    const cells = planLatency(planThroughput(wholePlan), wholePlan);
    const ofList = cells.filter(({ workload }) => workload === 'list');
    expect(ofList.map(({ contestant }) => contestant)).not.toContain('limit-node');
    const speeds = [sample('petstore', 1, 900), sample('fastify', 1, 300), sample('fastify', 2, 201)];
    const results = resultsOf([...speeds, sample('fastify-pg', 1, 50), sample('limit-node', 1, 7)]);
    expect(latencyRate(results, ofList[0]!, cells)).toBe(100);
    const create = { ...ofList[0]!, workload: 'create' };
    expect(latencyRate(results, create, cells)).toBeUndefined();
  });
});
