import { percentile } from '../../test/support/percentile.ts';
import type { Running } from '../contestants/start.ts';

/**
 * Sends requests at fixed moments, whether responses come or not, and counts each from the moment it was due. wrk
 * waits for a response before it sends again, so a server that stalls gets fewer requests and looks fast
 * ("coordinated omission").
 */
export interface ConstantRate {
  rate: number;
  seconds: number;
  /** At the same rate, and not counted. */
  warmUpSeconds?: number;
  /** Sleeps between requests instead of watching the clock: less exact, but leaves the core to others. */
  isBackground?: boolean;
}

export interface Latencies {
  answeredPerSecond: number;
  errors: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  maxMs: number;
  /** How late the generator itself was; this is part of the figures above. */
  generatorLagP99Ms: number;
}

interface Connection {
  socket: Bun.Socket;
  received: string;
  dueAt: number;
}

export async function runAtConstantRate(target: Running, run: ConstantRate): Promise<Latencies> {
  const { rate, seconds, warmUpSeconds = 0, isBackground = false } = run;
  const warmUp = Math.round(rate * warmUpSeconds);
  const total = warmUp + Math.max(1, Math.round(rate * seconds));
  const messages = target.requests.slice(0, total).map((request) => render(request, target));
  const [latencies, lags, waiting]: [number[], number[], number[]] = [[], [], []];
  const idle: Connection[] = [];
  const finished = Promise.withResolvers<void>();
  let [errors, due, sent, settled, countedFrom, isOver] = [0, 0, 0, 0, 0, false];

  const send = (connection: Connection, dueAt: number): void => {
    connection.dueAt = dueAt;
    connection.received = '';
    connection.socket.write(messages[sent++ % messages.length]!);
  };
  const settle = (connection: Connection, status: number): void => {
    settled += 1;
    if (connection.dueAt >= countedFrom) latencies.push(performance.now() - connection.dueAt);
    if (status >= 400) errors += 1;
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else send(connection, next);
    if (settled === total) finished.resolve();
  };
  const connect = async (): Promise<Connection> => {
    const connection = { received: '', dueAt: 0 } as Connection;
    const fail = (): void => {
      if (!isOver) finished.reject(new Error('The server closed or broke a connection.'));
    };
    const data = (_: unknown, bytes: Buffer): void => {
      connection.received += bytes.toString('latin1');
      const status = statusOfWhole(connection.received);
      if (status !== undefined) settle(connection, status);
    };
    const socket = { data, close: fail, error: fail };
    connection.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(target.url).port),
      socket,
    });
    return connection;
  };
  const connections = await Promise.all(Array.from({ length: target.connections }, connect));
  idle.push(...connections);

  const startedAt = performance.now();
  const dueTime = (index: number): number => startedAt + (index * 1000) / rate;
  countedFrom = dueTime(warmUp);
  const tick = (): void => {
    const now = performance.now();
    for (; due < total && dueTime(due) <= now; due++) {
      if (due >= warmUp) lags.push(now - dueTime(due));
      const connection = idle.pop();
      if (connection) send(connection, dueTime(due));
      else waiting.push(dueTime(due));
    }
    if (due === total || isOver) return;
    if (isBackground) setTimeout(tick, dueTime(due) - now);
    else setImmediate(tick);
  };
  tick();
  // A server that cannot keep up is not waited for without end.
  const deadline = setTimeout(() => finished.resolve(), (warmUpSeconds + seconds) * 2000 + 10_000);
  try {
    await finished.promise;
  } finally {
    isOver = true;
    clearTimeout(deadline);
    for (const { socket } of connections) socket.terminate();
  }
  return {
    answeredPerSecond: latencies.length / ((performance.now() - countedFrom) / 1000),
    errors: errors + total - settled,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    p999Ms: percentile(latencies, 0.999),
    maxMs: percentile(latencies, 1),
    generatorLagP99Ms: percentile(lags, 0.99),
  };
}

/** The status of a response that has arrived whole. Nothing is pipelined, so all that arrives belongs to it. */
function statusOfWhole(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const status = Number(text.slice(9, 12));
  if (status === 304) return status;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1];
  const isWhole =
    length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= headEnd + 4 + Number(length);
  return isWhole ? status : undefined;
}

function render({ method, path, body }: Running['requests'][number], { headers, url }: Running): string {
  const ofBody =
    body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length };
  const lines = Object.entries({ Host: new URL(url).host, ...headers, ...ofBody });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\n${head}\r\n${body ?? ''}`;
}
