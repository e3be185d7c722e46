import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { contestantOf, embeddedPeers, postgresPeers } from './contestants/contestants.ts';
import { openData } from './contestants/data.ts';
import { spellings } from './contestants/spelling.ts';
import { send, startContestant } from './contestants/start.ts';
import { planThroughput } from './load/plan.ts';
import { makeFolder } from './load/processes.ts';
import { workloadOf, workloads } from './load/workloads.ts';
import { renderResults, writeReport } from './report/report.ts';
import type { Measurement, Results } from './report/results.ts';
import { cellOf, fastest, ratio, rounded, spreadOfCell } from './report/statistics.ts';
import { wholePlan } from './run.ts';

/** `npm run bench` begins with these: bun test ./bench/checks.ts */

const published = (await Bun.file(join(import.meta.dir, 'results/latest.json')).json()) as Results;

function sample(contestant: string, round: number, requestsPerSecond: number): Measurement {
  return {
    ...{ workload: 'list', pets: 100_000, contestant, round, requestsPerSecond, errors: 0 },
    ...{ serverCores: 1, loadCores: 0.5, otherCores: 0, peakMemoryMb: 60, readyMs: 100 },
    cpuMicrosPerRequest: 1e6 / requestsPerSecond,
  };
}

const resultsOf = (samples: Measurement[]): Results => ({
  ...published,
  ...{ samples, latencies: [], remarks: [], workloads: workloads.map(({ id, title }) => ({ id, title })) },
});

it('sends the crud mix to PostgreSQL alone, and never a name that a pet has already', () => {
  const requests = workloadOf('crud').requests(spellings.own, 100_000);
  const shares = Map.groupBy(requests, ({ method, path }) => `${method}${/\/\d+$/.test(path) ? ' one' : ''}`);
  const percent = [...shares].map(([kind, own]) => [kind, (100 * own.length) / requests.length]);
  expect(Object.fromEntries(percent)).toEqual({ 'GET one': 75, 'PATCH one': 15, GET: 5, POST: 5 });
  const updates = [...requests, ...requests].filter(({ method }) => method === 'PATCH');
  for (const [, ofPet] of Map.groupBy(updates, ({ path }) => path))
    expect(ofPet.every(({ body }, index) => body !== ofPet[index - 1]?.body)).toBeTrue();
  const cells = planThroughput({ ...wholePlan, workloads: ['crud'] }).flat();
  expect(cells.map(({ contestant }) => contestant)).toEqual([
    ...['petstore-postgres', 'petstore-two', 'fastify-pg', 'elysia-postgres'],
  ]);
});

it('has a least server that sends what the service sends, to the same callers', async () => {
  await using data = openData();
  const start = (contestant: string) => startContestant({ workload: 'list', contestant, pets: 100 }, data);
  await using service = await start('petstore');
  await using least = await start('limit-least');
  const etag = (await send(service, spellings.own.list({}))).headers.get('ETag')!;
  const ids = new Set<string>();
  for (const more of [{}, { 'If-None-Match': etag }, { 'X-Request-Id': 'mine' }]) {
    const [expected, found] = await Promise.all(
      [service, least].map(async ({ url, headers }) => {
        const response = await send({ url, headers: { ...headers, ...more } }, spellings.own.list({}));
        const { 'x-request-id': id, date: _, ...others } = Object.fromEntries(response.headers);
        ids.add(id!);
        return { status: response.status, body: await response.text(), headers: others };
      }),
    );
    expect(found).toEqual(expected);
  }
  expect(ids.size).toBe(5);
  const stranger = { ...least, headers: { Authorization: 'Bearer another' } };
  expect((await send(stranger, spellings.own.list({}))).status).toBe(401);
}, 60_000);

it('compares round by round, and reports the bounds reached, the bounds missed and what was discarded', () => {
  const results = resultsOf([
    ...[sample('petstore', 1, 90), sample('petstore', 2, 85), sample('petstore', 3, 88)],
    ...[sample('limit-least', 1, 100), sample('limit-least', 2, 100), sample('fastify', 1, 40)],
    { ...sample('limit-least', 3, 1), discarded: 'the load generator was the bottleneck' },
  ]);
  const spread = ratio(results, cellOf(results, 'list', 'petstore'), cellOf(results, 'list', 'limit-least'));
  expect(spread).toEqual({ median: 0.875, lowest: 0.85, highest: 0.9 });
  const report = renderResults(results);
  expect(report).toMatch(/hot list to the least server: 0.875× .*, reached \(at least 0.65×\)/);
  expect(report).toMatch(/hot list to the fastest peer: 2.25× .*, \*\*not reached\*\* \(at least 2.5×\)/);
  expect(report).toMatch(/durable create to the fastest peer: not measured/);
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
  "HttpArena's `crud`": 'crud',
};

it.each(Object.entries(shownWorkloads))(
  'finds the published figures in docs/performance.md: %s',
  async (title, id) => {
    /** Empty if it was not measured. */
    const speed = (contestant: string): string => {
      const spread = spreadOfCell(published, cellOf(published, id, contestant));
      return spread ? rounded(spread.median).toLocaleString('en-US') : '';
    };
    const fastestOf = (ids: string[]): string => {
      const contestant = fastest(published, id, ids);
      return contestant ? `${speed(contestant)} (${contestantOf(contestant).name.split(' ')[0]})` : '';
    };
    const figures = [
      ...[speed('petstore'), fastestOf(embeddedPeers), speed('limit-bun')],
      ...[speed('petstore-postgres'), fastestOf(postgresPeers)],
    ];
    const page = await Bun.file(join(import.meta.dir, '../docs/performance.md')).text();
    const row = `| ${title} | ${figures.join(' | ')} |`;
    expect(page.replaceAll(/ +/g, ' ')).toContain(row.replaceAll(/ +/g, ' '));
  },
);
