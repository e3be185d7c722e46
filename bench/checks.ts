import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { contestantOf } from './contestants/contestants.ts';
import { spellings } from './contestants/spelling.ts';
import { orderOf } from './load/plan.ts';
import { makeFolder } from './load/processes.ts';
import { workloadOf, workloads } from './load/workloads.ts';
import { renderResults, writeReport } from './report/report.ts';
import type { Measurement, Results } from './report/results.ts';
import { cellOf, fastest, ratio, rounded, spreadOfCell } from './report/statistics.ts';

/** `npm run bench` begins with these: bun test ./bench/checks.ts */

const published = (await Bun.file(join(import.meta.dir, 'results/latest.json')).json()) as Results;

function sample(contestant: string, round: number, requestsPerSecond: number): Measurement {
  return {
    ...{ workload: 'list', pets: 100_000, processes: 1, contestant, round, requestsPerSecond, errors: 0 },
    ...{ serverCores: 1, loadCores: 0.5, otherCores: 0, peakMemoryMb: 60, readyMs: 100 },
    cpuMicrosPerRequest: 1e6 / requestsPerSecond,
  };
}

const resultsOf = (samples: Measurement[]): Results => ({
  ...published,
  ...{ samples, latencies: [], remarks: [], workloads: workloads.map(({ id, title }) => ({ id, title })) },
});

it.each([2, 6, 15])('puts each of %i contestants early as often as late', (count) => {
  const rounds = 7;
  const places = Array.from({ length: count }, () => 0);
  for (let round = 1; round <= rounds; round++) {
    const order = orderOf([...places.keys()], round, rounds);
    for (const [place, item] of order.entries()) places[item]! += place / (count - 1) / rounds;
  }
  for (const place of places) expect(place).toBeWithin(0.3, 0.7);
});

it('asks for no random page twice, even if there are few', () => {
  const paths = workloadOf('list-random')
    .requests(spellings.own, 1000)
    .map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
});

it('compares round by round, and reports the bounds reached, the bounds missed and what was discarded', () => {
  const results = resultsOf([
    ...[sample('petstore', 1, 90), sample('petstore', 2, 85), sample('petstore', 3, 88)],
    ...[sample('limit-bun', 1, 100), sample('limit-bun', 2, 100), sample('fastify', 1, 20)],
    { ...sample('limit-bun', 3, 1), discarded: 'the load generator was the bottleneck' },
  ]);
  const spread = ratio(results, cellOf(results, 'list', 'petstore'), cellOf(results, 'list', 'limit-bun'));
  expect(spread).toEqual({ median: 0.875, lowest: 0.85, highest: 0.9 });
  const report = renderResults(results);
  expect(report).toMatch(/hot list, embedded, to the limit: 0.875× .*, reached \(at least 0.85×\)/);
  expect(report).toMatch(/hot list to Fastify: 4.5× .*, \*\*not reached\*\* \(at least 8×\)/);
  expect(report).toMatch(/2 processes against 1: not measured/);
  expect(report).toContain('Rounds discarded: 1 of 7.\n\n- the load generator was the bottleneck\n');
});

it('makes the published report from the published results', async () => {
  using made = makeFolder();
  await writeReport(published, made.path);
  for (const name of ['RESULTS.md', 'results/overview.svg'])
    expect(await Bun.file(join(made.path, name)).text()).toBe(
      await Bun.file(join(import.meta.dir, name)).text(),
    );
});

const shownWorkloads = {
  'List, first page': 'list',
  'List, random pages': 'list-random',
  'Get by id': 'get',
  'Create, durable': 'create',
};

it.each(Object.entries(shownWorkloads))(
  'finds the published figures in docs/performance.md: %s',
  async (title, id) => {
    const speed = (contestant: string): string =>
      rounded(spreadOfCell(published, cellOf(published, id, contestant))!.median).toLocaleString('en-US');
    const fastestOf = (...ids: string[]): string => {
      const contestant = fastest(published, id, ids)!;
      return `${speed(contestant)} (${contestantOf(contestant).name.split(' ')[0]})`;
    };
    const figures = [
      ...[speed('petstore'), fastestOf('fastify', 'express', 'hono-node', 'elysia'), speed('limit-bun')],
      ...[speed('petstore-postgres'), fastestOf('fastify-pg', 'elysia-postgres')],
    ];
    const page = await Bun.file(join(import.meta.dir, '../docs/performance.md')).text();
    expect(page.replaceAll(/ +/g, ' ')).toContain(`| ${title} | ${figures.join(' | ')} |`);
  },
);
