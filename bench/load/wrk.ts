import { join } from 'node:path';
import {
  cpuSeconds,
  diskReadBytes,
  familyOf,
  machineCpuSeconds,
} from '../../test/support/process/process-figures.ts';
import type { Running } from '../contestants/start.ts';
import { pin, started } from './processes.ts';

/** What happened while a server got as many requests as it could serve. */
export type Load = Awaited<ReturnType<typeof runWrk>>;

const [idleCheckMs, idleWithinMs] = [30, 20_000];

/**
 * wrk as fast as it can: keep-alive, no pipelining. One thread, because with several the first ones would send before
 * wrk's clock starts. `startAt` skips that many requests of the file.
 */
export async function runWrk(target: Running, seconds: number, startAt = 0) {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const command = pin(target.loadCores, [
    // wrk knows whole seconds only, so a signal ends it; its own limit is for the case that none comes.
    ...['wrk', '-t', '1', '-c', String(target.connections), '-d', `${Math.ceil(seconds) + 5}s`],
    ...['--timeout', '10s', '-s', join(import.meta.dir, 'wrk.lua'), ...headers, target.url],
  ]);
  const env = { ...process.env, BENCH_REQUESTS: target.requestsFile, BENCH_START: String(startAt) };
  const family = familyOf(target.pid);
  const before = { server: cpuSeconds(family), machine: machineCpuSeconds(), own: process.cpuUsage() };
  const readBefore = diskReadBytes(family);
  const startedAt = performance.now();
  const child = started(Bun.spawn(command, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  let [complaints, end] = ['', undefined as Timer | undefined];
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    complaints += text;
    if (complaints.includes('READY\n')) end ??= setTimeout(() => child.kill('SIGINT'), seconds * 1000);
  }
  clearTimeout(end);
  const [output] = await Promise.all([child.stdout.text(), child.exited]);
  /** Processor time of the server, with all its processes and threads. */
  const serverSeconds = cpuSeconds(family) - before.server;
  const own = process.cpuUsage(before.own);
  const oursSeconds = (Number(child.resourceUsage()?.cpuTime.total ?? 0) + own.user + own.system) / 1e6;
  const otherSeconds = Math.max(0, machineCpuSeconds() - before.machine - serverSeconds - oursSeconds);
  /** Cores that everything else on the machine kept busy. */
  const otherCores = otherSeconds / ((performance.now() - startedAt) / 1000);
  const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
  if (json === undefined) throw new Error(`wrk gave no result: ${complaints}${output}`);
  const figures = JSON.parse(json) as Record<'requests' | 'seconds' | 'loadSeconds' | 'errors', number>;
  return { ...figures, serverSeconds, otherCores, readBytes: diskReadBytes(family) - readBefore };
}

/** Waits until a server has finished what was left when the load ended. */
export async function untilIdle(pid: number): Promise<void> {
  const family = familyOf(pid);
  const deadline = performance.now() + idleWithinMs;
  for (let [before, now] = [-1, cpuSeconds(family)]; now > before; now = cpuSeconds(family)) {
    if (performance.now() > deadline) throw new Error('The server was still busy long after its load.');
    before = now;
    await Bun.sleep(idleCheckMs);
  }
}
