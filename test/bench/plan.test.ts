import { describe, expect, it } from 'bun:test';
import { readOptions } from '../../bench/options.ts';
import { estimateSeconds, orderOf, planLatency, planThroughput } from '../../bench/plan.ts';
import { ownSpelling } from '../../bench/requests.ts';
import { workloadOf, workloads } from '../../bench/workloads.ts';

describe('the plan of the benchmark', () => {
  it.each([2, 6, 15])('has each of %i early as often as late', (count) => {
    const rounds = 7;
    const places = Array.from({ length: count }, () => 0);
    const items = [...places.keys()];
    for (let number = 1; number <= rounds; number++) {
      const order = orderOf(items, number, rounds);
      expect(order.toSorted((a, b) => a - b)).toEqual(items);
      for (const [place, item] of order.entries()) places[item]! += place / (count - 1) / rounds;
    }
    for (const place of places) expect(place).toBeWithin(0.3, 0.7);
  });

  it('asks for no random page twice, however few there are', () => {
    const requests = workloadOf('list-random').requests(ownSpelling, 1000);
    const paths = requests.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(10_000);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('plans every workload, with company, at every size', () => {
    const whole = readOptions([]);
    if (whole === 'help') throw new Error('This is not a call for help.');
    const groups = planThroughput(whole);
    const planned = groups.map((cells) => [...new Set(cells.map(({ workload }) => workload))]);
    expect(planned.flat()).toEqual(workloads.map(({ id }) => id));
    expect(planned).toContainEqual(['slow-disk-quiet', 'slow-disk-busy']);
    expect(groups.every((cells) => cells.length > 1)).toBeTrue();
    expect(whole.rounds).toBeGreaterThanOrEqual(7);
    const minutes = estimateSeconds(groups, planLatency(groups, whole), whole) / 60;
    // docs/performance.md says an hour and a half.
    expect(minutes).toBeWithin(10, 90);
    expect([whole.pets, ...whole.otherSizes].toSorted((a, b) => a - b)).toEqual([1e3, 1e4, 1e5, 1e6, 1e7]);
  });
});
