import { describe, expect, it } from 'bun:test';
import type { Family } from '../../src/metrics/registry.ts';
import { createWorkerMetrics } from '../../src/server/worker-metrics.ts';

const requests = (count: number): Family => ({
  ...{ name: 'requests_total', help: 'Requests.', kind: 'counter', merge: 'sum', bounds: [] },
  samples: [{ labels: {}, values: [count] }],
});

describe('the figures of all workers', () => {
  it('hold the last ones of a worker that has closed its channel', async () => {
    let isOpen = true;
    const metrics = createWorkerMetrics(new Set(['first', 'second']), (worker) => {
      if (worker === 'first' && !isOpen) throw new Error('The channel is closed.');
      metrics.received(worker, { metrics: [requests(isOpen ? 1 : 2)] });
    });
    await metrics.collect();
    isOpen = false;
    expect(await metrics.collect()).toEqual([requests(3)]);
  });
});
