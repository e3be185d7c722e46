import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contestantOf } from '../../bench/contestants.ts';
import { coreLayout } from '../../bench/cores.ts';
import { measureLatency, type MeasureOptions, measureThroughput } from '../../bench/measure.ts';
import { openPlaces, type Places } from '../../bench/places.ts';
import { missingTools } from '../../bench/prepare.ts';
import type { Cell } from '../../bench/results.ts';
import { startServer } from '../../bench/server.ts';
import { workloads } from '../../bench/workloads.ts';

const pets = 60;
/** What a server adds by itself, and what is different in every answer. */
const differs = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);
const list = workloads.find(({ id }) => id === 'list')!;

// It reads /proc, so it is for Linux alone; `npm run bench` says so elsewhere.
describe.if(process.platform === 'linux')('a round of the benchmark', () => {
  let folder: string;
  let places: Places;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-bench-test-'));
    places = openPlaces(folder);
  });
  afterAll(async () => {
    await places[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const cell = (contestant: string, workload = 'list'): Cell => ({
    ...{ workload, contestant, pets },
    processes: 1,
  });
  const options = (): MeasureOptions => ({
    ...{ places, slowDisk: undefined, connections: 2, round: 1 },
    ...{ seconds: 1, turns: 2, warmUpSeconds: 1, latencySeconds: 0.5 },
  });

  it.each(['petstore', 'limit-bun', 'limit-node'])(
    'gets right answers from %s at a constant rate',
    async (id) => {
      const rate = 40;
      const measured = await measureLatency(cell(id), options(), rate);
      expect(measured).toMatchObject({ contestant: id, workload: 'list', rate, errors: 0 });
      expect(measured.answeredPerSecond).toBeGreaterThan(0);
      expect(measured.p99Ms).toBeGreaterThanOrEqual(measured.p50Ms);
    },
  );

  it('lets wrk ask all in turns, goes on without one that fails, or says how to get wrk', async () => {
    if (!Bun.which('wrk')) return expect(missingTools().join()).toContain('wrk is missing. ');
    // The workload with many requests, whose file wrk reads by a script of its own.
    const cells = ['petstore', 'limit-node', 'limit-bun'].map((id) => cell(id, 'mix'));
    const open: Places['open'] = (contestant, ...more) =>
      contestant.id === 'limit-node'
        ? Promise.reject(new Error('No room.'))
        : places.open(contestant, ...more);
    const [steps, failures]: string[][] = [[], []];
    const measured = await measureThroughput(
      cells,
      { ...options(), places: { ...places, open } },
      {
        step: ({ contestant }) => steps!.push(contestant),
        failed: ({ contestant }, { message }) => failures!.push(`${contestant}: ${message}`),
      },
    );
    expect(failures).toEqual(['limit-node: No room.']);
    const turn = ['petstore', 'limit-bun'];
    expect(steps).toEqual(['petstore', 'limit-node', 'limit-bun', ...turn, ...turn]);
    expect(measured.map(({ contestant, errors }) => [contestant, errors])).toEqual(turn.map((id) => [id, 0]));
    for (const figure of ['requestsPerSecond', 'serverCores', 'loadCores', 'peakMemoryMb'] as const)
      for (const sampled of measured) expect(sampled[figure]).toBeGreaterThan(0);
  });

  it('compares two checkouts that serve at the same time, or says how to get wrk', async () => {
    const root = join(import.meta.dir, '../..');
    const args = [root, '--only', 'list', '--rounds', '1', '--size', '1000'];
    const command = [process.execPath, 'bench/compare.ts', ...args];
    await using child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if (!Bun.which('wrk')) return expect(complaints).toContain('wrk is missing. ');
    expect(complaints).toBe('');
    expect(output).toMatch(
      /^List, first page: [\d.]+ µs of the processor here, [\d.]+ there: [\d.]+×.* as fast here\n$/,
    );
  });

  it.each(['limit-bun', 'limit-node'])('%s sends the bytes and headers of the service', async (id) => {
    const answers = await Promise.all(['petstore', id].map(firstAnswer));
    expect(answers[1]).toEqual(answers[0]);
    expect(JSON.parse(answers[0]!.body)).toHaveLength(20);
    expect(answers[0]!.headers).toHaveProperty('etag');
  });

  async function firstAnswer(id: string) {
    const contestant = contestantOf(id);
    await using place = await places.open(contestant, list, pets);
    const { server: cores } = coreLayout(1);
    await using server = await startServer({ contestant: id, place: place.place, processes: 1, cores });
    const response = await fetch(`${server.url}/v1/pets`, { headers: server.headers });
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !differs.has(name)));
    return { status: response.status, headers, body: await response.text() };
  }
});
