import { join } from 'node:path';
import type { ConstantRateOptions, ConstantRateOutcome } from './constant-rate.ts';
import { started } from './children.ts';
import { pin } from './cores.ts';
import { cpuSeconds, familyOf, machineCpuSeconds } from '../test/support/process/process-figures.ts';
import type { HttpRequest } from './requests.ts';

export interface Target {
  port: number;
  headers: Record<string, string>;
  requestsFile: string;
  connections: number;
  cores: number[];
}

/** What happened while a server was asked for as much as it can. */
export interface Load {
  requests: number;
  seconds: number;
  errors: number;
  /** Processor time of the server, with all its processes and threads. */
  serverSeconds: number;
  loadSeconds: number;
  /** Cores that everything else on the machine kept busy. */
  otherCores: number;
}

const idleLookMs = 30;
const idleWithinMs = 20_000;

export async function writeRequests(file: string, requests: readonly HttpRequest[]): Promise<void> {
  const lines = requests.map(({ method, path, body = '' }) => `${method}\t${path}\t${body}\n`);
  await Bun.write(file, lines.join(''));
}

export interface WrkRun {
  seconds: number;
  serverPid: number;
  /** How many requests of the file it passes over, from the first again after the last. */
  startAt?: number;
}

/**
 * wrk as fast as it can: keep-alive, no pipelining. One thread is fast enough for what is measured here, and if not, it
 * is seen; with several, those that start first would ask before wrk's clock starts.
 */
export async function runWrk(target: Target, run: WrkRun): Promise<Load> {
  const { seconds, serverPid, startAt = 0 } = run;
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const family = familyOf(serverPid);
  const serverSecondsBefore = cpuSeconds(family);
  const [machineBefore, startedAt] = [machineCpuSeconds(), performance.now()];
  const ownBefore = process.cpuUsage();
  const program = pin(target.cores, [
    // It is told when to end. By itself it knows whole seconds only, which are here for the case that nobody tells it.
    ...['wrk', '-t', '1', '-c', String(target.connections), '-d', `${Math.ceil(seconds) + 5}s`],
    ...['--timeout', '10s', '-s', join(import.meta.dir, 'wrk.lua'), ...headers],
    `http://127.0.0.1:${target.port}`,
  ]);
  const child = started(
    Bun.spawn(program, {
      env: { ...process.env, BENCH_REQUESTS: target.requestsFile, BENCH_START: String(startAt) },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const endAfterLoad = async (): Promise<string> => {
    let [said, end] = ['', undefined as Timer | undefined];
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (said.includes('READY\n')) end ??= setTimeout(() => child.kill('SIGINT'), seconds * 1000);
    }
    clearTimeout(end);
    return said;
  };
  const [output, complaints] = await Promise.all([child.stdout.text(), endAfterLoad(), child.exited]);
  const serverSeconds = cpuSeconds(family) - serverSecondsBefore;
  const own = process.cpuUsage(ownBefore);
  const ours =
    serverSeconds + (Number(child.resourceUsage()?.cpuTime.total ?? 0) + own.user + own.system) / 1e6;
  const otherSeconds = Math.max(0, machineCpuSeconds() - machineBefore - ours);
  const otherCores = otherSeconds / ((performance.now() - startedAt) / 1000);
  const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
  if (json === undefined) throw new Error(`wrk gave no result: ${complaints}${output}`);
  const { requests, micros, processorSeconds, errors } = JSON.parse(json) as WrkFigures;
  if (requests === 0) throw new Error(`there was no answer within ${seconds} s`);
  return {
    requests,
    seconds: micros / 1e6,
    errors,
    serverSeconds,
    loadSeconds: processorSeconds,
    otherCores,
  };
}

type WrkFigures = Record<'requests' | 'micros' | 'processorSeconds' | 'errors', number>;

/** Lets a server finish what it was still asked when the load ended; a slow one needs seconds, but not many. */
export async function untilIdle(serverPid: number): Promise<void> {
  const family = familyOf(serverPid);
  const deadline = performance.now() + idleWithinMs;
  let before = -1;
  for (let now = cpuSeconds(family); now > before; now = cpuSeconds(family)) {
    if (performance.now() > deadline)
      throw new Error(`it was still busy ${idleWithinMs / 1000} s after its load`);
    before = now;
    await Bun.sleep(idleLookMs);
  }
}

export interface ConstantRate {
  rate: number;
  seconds: number;
  /** Before them, at the same rate, and not counted. */
  warmUpSeconds?: number;
  isBackground?: boolean;
}

/** For latency, and for what runs beside a load: see constant-rate.ts. */
export async function runConstantRate(target: Target, run: ConstantRate): Promise<ConstantRateOutcome> {
  const { port, headers, requestsFile, connections, cores } = target;
  const options: ConstantRateOptions = {
    ...{ port, headers, requestsFile, connections },
    ...{ rate: run.rate, seconds: run.seconds },
    ...{ warmUpSeconds: run.warmUpSeconds ?? 0, isBackground: run.isBackground ?? false },
  };
  const program = [process.execPath, join(import.meta.dir, 'constant-rate.ts'), JSON.stringify(options)];
  const child = started(Bun.spawn(pin(cores, program), { stdio: ['ignore', 'pipe', 'pipe'] }));
  const [output, complaints, status] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`The constant-rate load failed:\n${complaints}`);
  return JSON.parse(output) as ConstantRateOutcome;
}
