import { afterAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { openData } from '../../bench/contestants/data.ts';
import { spellings } from '../../bench/contestants/spelling.ts';
import { send, startContestant, type Setting } from '../../bench/contestants/start.ts';
import { verifySameWork } from '../../bench/contestants/verify.ts';
import { measureLatency, measureThroughput } from '../../bench/load/measure.ts';
import { missingTools } from '../../bench/prepare.ts';
import type { Cell } from '../../bench/report/results.ts';

/** What a server adds by itself, and what is different in every response. */
const differs = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);
const root = join(import.meta.dir, '../..');

// It reads /proc, so it is for Linux alone; `npm run bench` says so elsewhere.
describe.if(process.platform === 'linux')('a round of the benchmark', () => {
  const data = openData();
  afterAll(() => data[Symbol.asyncDispose]());
  const setting: Setting = { open: data.open, connections: 2 };
  const cell = (contestant: string, workload = 'list'): Cell => ({
    ...{ workload, contestant, pets: 60, processes: 1 },
  });

  it.each(['petstore', 'limit-bun', 'limit-node'])(
    'gets right responses from %s at a constant rate',
    async (id) => {
      const load = { rate: 80, seconds: 0.25, warmUpSeconds: 0.25 };
      const measured = await measureLatency(cell(id), { ...setting, ...load, round: 1 });
      expect(measured).toMatchObject({ contestant: id, workload: 'list', rate: 80, errors: 0 });
      expect(measured.answeredPerSecond).toBeGreaterThan(0);
      expect(measured.p99Ms).toBeGreaterThanOrEqual(measured.p50Ms);
    },
  );

  it('lets wrk load all in turns and goes on without one that fails, or says how to get wrk', async () => {
    if (!Bun.which('wrk')) return expect(missingTools().join()).toContain('wrk is missing. ');
    // The workload with many requests, whose file wrk reads by a script of its own.
    const cells = ['petstore', 'limit-node', 'limit-bun'].map((id) => cell(id, 'mix'));
    const open: Setting['open'] = (contestant, ...more) =>
      contestant.id === 'limit-node' ? Promise.reject(new Error('No room.')) : data.open(contestant, ...more);
    const failures: string[] = [];
    const measured = await measureThroughput(cells, {
      ...{ ...setting, open, round: 1, seconds: 4, turns: 2, warmUpSeconds: 0.3 },
      failed: ({ contestant }, _, { message }) => failures.push(`${contestant}: ${message}`),
    });
    expect(failures).toEqual(['limit-node: No room.']);
    const found = measured.map(({ contestant, errors }) => [contestant, errors]);
    expect(found).toEqual([
      ['petstore', 0],
      ['limit-bun', 0],
    ]);
    for (const figure of ['requestsPerSecond', 'serverCores', 'loadCores', 'peakMemoryMb'] as const)
      for (const sampled of measured) expect(sampled[figure]).toBeGreaterThan(0);
  });

  it('compares two checkouts that serve at the same time, or says how to get wrk', async () => {
    const args = [root, '--only', 'list', '--rounds', '1', '--seconds', '2', '--pets', '100'];
    const command = [process.execPath, 'bench/compare.ts', ...args];
    await using child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if (!Bun.which('wrk')) return expect(complaints).toContain('wrk is missing. ');
    expect(complaints).toBe('');
    expect(output).toMatch(
      /^List, first page: [\d.]+ µs of processor time here, [\d.]+ there: [\d.]+×.* as fast here\n$/,
    );
  });

  it.each(['limit-bun', 'limit-node'])('sends the bytes and headers of the service from %s', async (id) => {
    const firstResponse = async (contestant: string) => {
      await using server = await startContestant(cell(contestant), setting);
      const response = await send(server, spellings.own.list({}));
      const headers = [...response.headers].filter(([name]) => !differs.has(name));
      return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
    };
    const [own, repeated] = [await firstResponse('petstore'), await firstResponse(id)];
    expect(repeated).toEqual(own);
    expect(JSON.parse(own.body)).toHaveLength(20);
    expect(own.headers).toHaveProperty('etag');
  });

  it('accepts a contestant that does the work of the service, and refuses one that does not', async () => {
    await verifySameWork(['petstore'], 60, setting);
    const refusal = await verifySameWork(['limit-bun'], 60, setting).catch((error: Error) => error.message);
    expect(refusal).toStartWith('limit-bun does other work:\n');
    for (const question of ['by status', 'one pet', 'another key', 'limit 0', 'a create without name'])
      expect(refusal).toContain(`  ${question}: `);
    expect(refusal).not.toContain('  first page: ');
  });
});
