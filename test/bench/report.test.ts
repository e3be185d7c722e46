import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { contestantOf } from '../../bench/contestants/contestants.ts';
import { makeFolder } from '../../bench/load/processes.ts';
import { drawOverview } from '../../bench/report/overview.ts';
import { renderResults, writeReport } from '../../bench/report/report.ts';
import type { Results, Measurement } from '../../bench/report/results.ts';
import { cellOf, fastest, ratio, rounded, spreadOfCell } from '../../bench/report/statistics.ts';
import { summarise } from '../../bench/report/summary.ts';
import { latency, resultsOf, sample } from '../support/bench-results.ts';

const folder = join(import.meta.dir, '../../bench');

describe('the report of the benchmark', () => {
  it('compares round by round and leaves out discarded rounds', () => {
    const results = resultsOf([
      sample('petstore', 1, 90),
      sample('petstore', 2, 85),
      sample('petstore', 3, 88),
      sample('limit-bun', 1, 100),
      sample('limit-bun', 2, 100),
      { ...sample('limit-bun', 3, 1), discarded: 'the load generator was the bottleneck' },
    ]);
    const spread = ratio(results, cellOf(results, 'list', 'petstore'), cellOf(results, 'list', 'limit-bun'));
    expect(spread).toEqual({ median: 0.875, lowest: 0.85, highest: 0.9 });
  });

  it('says which bounds were reached, missed or not measured, and what was discarded', async () => {
    const results = resultsOf([
      sample('petstore', 1, 80_000),
      sample('limit-bun', 1, 90_000),
      sample('fastify', 1, 20_000),
      { ...sample('fastify', 2, 1), discarded: 'the load generator was the bottleneck' },
    ]);
    const report = renderResults(results);
    expect(report).toMatch(/hot list, embedded, to the limit: 0.889× .*, reached \(at least 0.85×\)/);
    expect(report).toMatch(/hot list to Fastify: 4× .*, \*\*not reached\*\* \(at least 8×\)/);
    expect(report).toMatch(/2 processes against 1: not measured \(at least 1.6×\)/);
    expect(report).toContain('Rounds discarded: 1 of 4.\n\n- the load generator was the bottleneck\n');
    expect(report).toContain('list p99');
  });

  it('says who did not keep up, what the load generator took and that the machine was busy', async () => {
    const slow = { ...latency('limit-bun'), answeredPerSecond: 500 };
    const two = { ...sample('petstore', 1, 1000), workload: 'processes', processes: 2, loadCores: 0.2 };
    const report = renderResults({
      ...resultsOf([{ ...two, otherCores: 0.4 }]),
      latencies: [latency('petstore'), slow],
    });
    expect(report).toContain('Did not keep up in at least one round: bare Bun.serve (List, first page).');
    expect(report).toContain('the load generator, which took 0.2 of them.');
    expect(report).toContain('The machine was not quiet');
  });

  it('names every workload that loses too much with size, and no other', async () => {
    const at = (workload: string, size: number, speed: number): Measurement => ({
      ...sample('petstore', 1, speed),
      ...{ workload, pets: size },
    });
    const results = resultsOf([
      ...[at('list', 1000, 100), at('list', 10_000_000, 90)],
      ...[at('get', 1000, 100), at('get', 10_000_000, 70)],
      ...[at('create', 1000, 100), at('create', 10_000_000, 75)],
    ]);
    const workloads = ['list', 'get', 'create'].map((id) => ({ id, title: `The ${id}` }));
    const report = renderResults({ ...results, workloads });
    expect(report).toMatch(/: 0.7× \(0.7 to 0.7\): The get; 0.75× \(0.75 to 0.75\): The create, \*\*not/);
  });

  it('sums up each cell over the rounds that count, beside the service in the same rounds', () => {
    const results = resultsOf([
      ...[sample('petstore', 1, 900), sample('petstore', 2, 800)],
      ...[sample('fastify', 1, 100), { ...sample('fastify', 2, 1), discarded: 'slow' }],
    ]);
    const cells = summarise({ ...results, latencies: [latency('fastify')] });
    expect(cells).toMatchObject([
      { contestant: 'petstore', requestsPerSecond: { median: 850, lowest: 800, highest: 900 } },
      { contestant: 'fastify', timesAsFast: { median: 9 }, p99Ms: { median: 1.5 }, rate: { median: 1000 } },
    ]);
    expect(cells[0]).not.toHaveProperty('timesAsFast');
  });

  it('draws the overview from the results', () => {
    const samples = ['petstore', 'limit-bun', 'fastify'].map((id) => sample(id, 1, 1000));
    const svg = drawOverview(resultsOf(samples));
    expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg).toContain('1× the fastest peer');
  });

  it('makes the published report from the published results', async () => {
    const results = await readPublished();
    using made = makeFolder();
    await writeReport(results, made.path);
    for (const name of ['RESULTS.md', 'results/latest.json', 'results/summary.json', 'results/overview.svg'])
      expect(await Bun.file(join(made.path, name)).text()).toBe(await Bun.file(join(folder, name)).text());
  });
});

describe('docs/performance.md', () => {
  it('shows the published figures', async () => {
    const results = await readPublished();
    const speed = (workload: string, id: string): string => {
      const spread = spreadOfCell(results, cellOf(results, workload, id));
      return rounded(spread!.median).toLocaleString('en-US');
    };
    const fastestOf = (workload: string, ids: string[]): string => {
      const id = fastest(results, workload, ids)!;
      return `${speed(workload, id)} (${contestantOf(id).name.split(' ')[0]})`;
    };
    const shown = (await Bun.file(join(folder, '../docs/performance.md')).text()).replaceAll(/ +/g, ' ');
    for (const [title, workload] of Object.entries(shownWorkloads)) {
      const figures = [
        speed(workload, 'petstore'),
        fastestOf(workload, ['fastify', 'express', 'hono-node', 'elysia']),
        speed(workload, 'limit-bun'),
        speed(workload, 'petstore-postgres'),
        fastestOf(workload, ['fastify-pg', 'elysia-postgres']),
      ];
      expect(shown).toContain(`| ${title} | ${figures.join(' | ')} |`);
    }
  });
});

const shownWorkloads = {
  'List, first page': 'list',
  'List, random pages': 'list-random',
  'Get by id': 'get',
  'Create, durable': 'create',
};

async function readPublished(): Promise<Results> {
  return (await Bun.file(join(folder, 'results/latest.json')).json()) as Results;
}
