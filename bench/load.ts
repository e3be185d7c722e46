import { join } from 'node:path';
import type { ConstantRateOptions, ConstantRateOutcome } from './constant-rate.ts';
import { pin } from './cores.ts';
import { cpuSeconds, familyOf } from './process-figures.ts';
import type { HttpRequest } from './requests.ts';

export interface Target {
  port: number;
  headers: Record<string, string>;
  requestsFile: string;
  connections: number;
  cores: number[];
}

export interface Throughput {
  requestsPerSecond: number;
  errors: number;
  serverCores: number;
  loadCores: number;
}

export async function writeRequests(file: string, requests: readonly HttpRequest[]): Promise<void> {
  const lines = requests.map(({ method, path, body = '' }) => `${method}\t${path}\t${body}\n`);
  await Bun.write(file, lines.join(''));
}

/** wrk as fast as it can: keep-alive, no pipelining, one thread per core it may use. */
export async function runWrk(target: Target, seconds: number, serverPid: number): Promise<Throughput> {
  const threads = Math.min(target.cores.length, target.connections);
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const child = Bun.spawn(
    pin(target.cores, [
      ...['wrk', '-t', String(threads), '-c', String(target.connections), '-d', `${seconds}s`],
      ...['--timeout', '10s', '-s', join(import.meta.dir, 'wrk.lua'), ...headers],
      `http://127.0.0.1:${target.port}`,
    ]),
    {
      env: { ...process.env, BENCH_REQUESTS: target.requestsFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [shares, output, complaints] = await Promise.all([
    watchProcessor({ serverPid, load: child, seconds }),
    child.stdout.text(),
    child.stderr.text(),
  ]);
  const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
  if (json === undefined || !shares) throw new Error(`wrk gave no result: ${complaints}${output}`);
  const { requests, micros, errors } = JSON.parse(json) as Record<'requests' | 'micros' | 'errors', number>;
  return { requestsPerSecond: requests / (micros / 1e6), errors, ...shares };
}

export interface ConstantRate {
  rate: number;
  seconds: number;
  isBackground?: boolean;
}

/** Where wrk is not at hand, and for latency: see constant-rate.ts. */
export async function runConstantRate(target: Target, run: ConstantRate): Promise<ConstantRateOutcome> {
  const { port, headers, requestsFile, connections, cores } = target;
  const options: ConstantRateOptions = {
    ...{ port, headers, requestsFile, connections },
    ...{ rate: run.rate, seconds: run.seconds, isBackground: run.isBackground ?? false },
  };
  const program = [process.execPath, join(import.meta.dir, 'constant-rate.ts'), JSON.stringify(options)];
  const child = Bun.spawn(pin(cores, program), { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, complaints, status] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`The constant-rate load failed:\n${complaints}`);
  return JSON.parse(output) as ConstantRateOutcome;
}

interface Watched {
  serverPid: number;
  load: Bun.Subprocess;
  seconds: number;
}

/** Looks again and again, leaving out the start of a run. Undefined for a run too short for two looks. */
async function watchProcessor({ serverPid, load, seconds }: Watched) {
  const family = familyOf(serverPid);
  const look = () => ({
    at: performance.now() / 1000,
    server: cpuSeconds(family),
    load: cpuSeconds([load.pid]),
  });
  await Bun.sleep(seconds * 200);
  let first: ReturnType<typeof look> | undefined;
  let last: typeof first;
  while (load.exitCode === null) {
    try {
      last = look();
      first ??= last;
    } catch {
      // It has ended between the two looks.
      break;
    }
    await Bun.sleep(seconds * 50);
  }
  if (!first || !last || first === last) return undefined;
  const passed = last.at - first.at;
  return {
    serverCores: (last.server - first.server) / passed,
    loadCores: (last.load - first.load) / passed,
  };
}
