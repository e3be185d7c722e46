import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawCharts } from '../bench/charts.ts';
import { contestantOf } from '../bench/contestants.ts';
import { coreLayout } from '../bench/cores.ts';
import { measureLatency, measureThroughput, type MeasureOptions } from '../bench/measure.ts';
import { readOptions } from '../bench/options.ts';
import { openPlaces, type Places } from '../bench/places.ts';
import { estimateSeconds, orderOf, planLatency, planThroughput } from '../bench/plan.ts';
import { missingTools } from '../bench/prepare.ts';
import { familyOf } from '../bench/process-figures.ts';
import { renderResults } from '../bench/report.ts';
import { ownSpelling } from '../bench/requests.ts';
import type { Cell, LatencySample, Results, Sample } from '../bench/results.ts';
import { startServer } from '../bench/server.ts';
import { cellOf, ratio } from '../bench/statistics.ts';
import { continueUnfinished, isMeasured, removeUnfinished, saveUnfinished } from '../bench/unfinished.ts';
import { workloadOf, workloads } from '../bench/workloads.ts';

const animals = 60;
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
    ...{ workload, contestant, animals },
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
    const root = join(import.meta.dir, '..');
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

  it('goes on with a run that was cut off, unless that was another one', async () => {
    const results = resultsOf([sample('petstore', 1, 90)]);
    const { method, machine } = results;
    const longer = { ...resultsOf([]), method: { ...method, otherSizes: [1000] } };
    const newer = { ...resultsOf([]), machine: { ...machine, versions: { petstore: '1.0.0 (newer)' } } };
    await saveUnfinished(results, folder);
    await saveUnfinished(longer, folder);
    const { samples, remarks } = await continueUnfinished(resultsOf([]), folder);
    const known = cellOf(results, 'list', 'petstore');
    expect([1, 2].map((number) => isMeasured(samples, known, number))).toEqual([true, false]);
    expect(remarks).toHaveLength(1);
    expect((await continueUnfinished(longer, folder)).samples).toEqual([]);
    const refusal = await continueUnfinished(newer, folder).catch((error: Error) => error.message);
    expect(refusal).toContain('There is no run of these options and versions');
    await removeUnfinished(longer, folder);
    expect(await continueUnfinished(results, folder)).toMatchObject({ samples });
  });

  it('leaves no process behind when it is cut off', async () => {
    const run = `
      import { started } from './bench/children.ts';
      import { cleanUpWhenCutOff } from './bench/cut-off.ts';
      cleanUpWhenCutOff();
      const shell = started(Bun.spawn(['sh', '-c', 'sleep 300 & wait'], { stdio: ['ignore', 'ignore', 'ignore'] }));
      console.log(shell.pid);`;
    await using child = Bun.spawn([process.execPath, '-e', run], {
      cwd: join(import.meta.dir, '..'),
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 60_000,
    });
    let said = '';
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (said.endsWith('\n')) break;
    }
    const family = familyOf(Number(said));
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
    // Whoever was killed is there until it is waited for.
    const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/exe`);
    while (family.some(isRunning)) await Bun.sleep(10);
  });

  it('leaves no folder behind when it is cut off', async () => {
    const run = `
      import { makeTemporaryFolder, removeTemporaryFolders } from './bench/temporary.ts';
      console.log(makeTemporaryFolder('one').path);
      removeTemporaryFolders();
      using other = makeTemporaryFolder('other');
      console.log(other.path);`;
    const { stdout } = Bun.spawnSync([process.execPath, '-e', run], { cwd: join(import.meta.dir, '..') });
    const paths = stdout.toString().trim().split('\n');
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(existsSync(path)).toBe(false);
  });

  it.each(['limit-bun', 'limit-node'])('%s sends the bytes and headers of the service', async (id) => {
    const answers = await Promise.all(['petstore', id].map(firstAnswer));
    expect(answers[1]).toEqual(answers[0]);
    expect(JSON.parse(answers[0]!.body)).toHaveLength(20);
    expect(answers[0]!.headers).toHaveProperty('etag');
  });

  async function firstAnswer(id: string) {
    const contestant = contestantOf(id);
    await using place = await places.open(contestant, list, animals);
    const { server: cores } = coreLayout(1);
    await using server = await startServer({ contestant: id, place: place.place, processes: 1, cores });
    const response = await fetch(`${server.url}/v1/pets`, { headers: server.headers });
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !differs.has(name)));
    return { status: response.status, headers, body: await response.text() };
  }
});

describe('the report of the benchmark', () => {
  it('compares round by round and leaves out what was thrown out', () => {
    const results = resultsOf([
      sample('petstore', 1, 90),
      sample('petstore', 2, 85),
      sample('petstore', 3, 88),
      sample('limit-bun', 1, 100),
      sample('limit-bun', 2, 100),
      { ...sample('limit-bun', 3, 1), discarded: 'the load generator was the bottleneck' },
    ]);
    const spread = ratio(results, cellOf(results, 'list', 'petstore'), cellOf(results, 'list', 'limit-bun'));
    expect(spread).toEqual({ median: 0.875, lowest: 0.85, highest: 0.9, rounds: 2 });
  });

  it('says what was reached, what was not, what was not measured and what was thrown out', async () => {
    const results = resultsOf([
      sample('petstore', 1, 80_000),
      sample('limit-bun', 1, 90_000),
      sample('fastify', 1, 20_000),
      { ...sample('fastify', 2, 1), discarded: 'the load generator was the bottleneck' },
    ]);
    const report = await renderResults(results);
    expect(report).toMatch(/hot list, embedded, to the limit +\| at least 0.85× +\| 0.889× .* reached/);
    expect(report).toMatch(/hot list to Fastify +\| at least 8× +\| 4× .* \*\*not reached\*\*/);
    expect(report).toMatch(/2 processes against 1 +\| at least 1.6× +\| not measured/);
    expect(report).toContain('Rounds thrown out: 1 of 4.');
    expect(report).toContain('list p99');
  });

  it('says who did not keep up, how two processes were measured and that the machine was busy', async () => {
    const slow = { ...latency('limit-bun'), answeredPerSecond: 500 };
    const two = { ...sample('petstore', 1, 1000), workload: 'processes', processes: 2, loadCores: 0.2 };
    const report = await renderResults({
      ...resultsOf([{ ...two, otherCores: 0.4 }]),
      latencies: [latency('petstore'), slow],
    });
    expect(report).toContain('Did not keep up in at least one round: bare Bun.serve (List, first page).');
    expect(report).toContain('shares theirs, of which it took 0.2.');
    expect(report).toContain('It was not quiet');
  });

  it('draws its charts from the results', () => {
    const samples = ['petstore', 'limit-bun', 'fastify'].map((id) => sample(id, 1, 1000));
    const charts = drawCharts(resultsOf([...samples, { ...sample('petstore', 1, 900), animals: 10_000 }]));
    expect(Object.keys(charts)).toEqual(['overview.svg', 'throughput.svg', 'latency.svg', 'sizes.svg']);
    for (const svg of Object.values(charts)) {
      expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"');
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
    expect(charts['throughput.svg']).toContain('requests a second');
    expect(charts['sizes.svg']).toContain('animals in the store');
  });

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
    expect(minutes).toBeWithin(10, 100);
    expect([whole.animals, ...whole.otherSizes].toSorted((a, b) => a - b)).toEqual([1e3, 1e4, 1e5, 1e6, 1e7]);
  });
});

function sample(contestant: string, round: number, requestsPerSecond: number): Sample {
  return {
    workload: 'list',
    contestant,
    animals: 100_000,
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

function latency(contestant: string): LatencySample {
  return {
    workload: 'list',
    contestant,
    animals: 100_000,
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

function resultsOf(samples: Sample[]): Results {
  return {
    startedAt: '2030-01-01T00:00:00.000Z',
    finishedAt: '2030-01-01T01:00:00.000Z',
    machine: { processor: 'a processor', cores: 2, memoryGb: 8, kernel: 'Linux', versions: { Bun: '1' } },
    method: {
      animals: 100_000,
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
