import { percentile } from '../../test/support/statistics.ts';
import type { HttpRequest } from '../contestants/spelling.ts';
import type { Running } from '../contestants/start.ts';
import type { Latencies } from '../report/results.ts';

export interface ConstantRate {
  rate: number;
  seconds: number;
  /** At the same rate, and not counted. */
  warmUpSeconds?: number;
  /** Sleeps between requests instead of watching the clock: less exact, but leaves the core to others. */
  isBackground?: boolean;
}

type Target = Pick<Running, 'url' | 'requests' | 'headers' | 'connections'>;
type Connection = { socket: Bun.Socket; received: string; dueAt: number };

/**
 * Sends requests at fixed moments, whether responses come or not, and counts each from the moment it was due. wrk
 * waits for a response before it sends again, so a server that stalls gets fewer requests and looks fast
 * ("coordinated omission").
 */
export async function runAtConstantRate(target: Target, run: ConstantRate): Promise<Latencies> {
  const { rate, seconds, warmUpSeconds = 0, isBackground = false } = run;
  const warmUp = Math.round(rate * warmUpSeconds);
  const total = warmUp + Math.max(1, Math.round(rate * seconds));
  const { port, host } = new URL(target.url);
  const messages = target.requests.slice(0, total).map((request) => render(request, host, target.headers));
  const [latencies, waiting]: [number[], number[]] = [[], []];
  const idle: Connection[] = [];
  const finished = Promise.withResolvers<void>();
  let [errors, due, sent, settled, countedFrom, isOver] = [0, 0, 0, 0, 0, false];

  const send = (connection: Connection, dueAt: number): void => {
    Object.assign(connection, { dueAt, received: '' });
    connection.socket.write(messages[sent++ % messages.length]!);
  };
  const receive = (connection: Connection, bytes: Buffer): void => {
    connection.received += bytes.toString('latin1');
    const status = statusOfWhole(connection.received);
    if (status === undefined) return;
    if (connection.dueAt >= countedFrom) latencies.push(performance.now() - connection.dueAt);
    if (status >= 400) errors += 1;
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else send(connection, next);
    if (++settled === total) finished.resolve();
  };
  const fail = (): void => {
    if (!isOver) finished.reject(new Error('The server closed or broke a connection.'));
  };
  const connect = async (): Promise<void> => {
    const connection = { received: '', dueAt: 0 } as Connection;
    const data = (_: unknown, bytes: Buffer) => receive(connection, bytes);
    const socket = { data, close: fail, error: fail };
    connection.socket = await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket });
    idle.push(connection);
  };
  await Promise.all(Array.from({ length: target.connections }, connect));
  const sockets = idle.map(({ socket }) => socket);

  const startedAt = performance.now();
  const dueTime = (index: number): number => startedAt + (index * 1000) / rate;
  countedFrom = dueTime(warmUp);
  const tick = (): void => {
    const now = performance.now();
    for (; due < total && dueTime(due) <= now; due++) {
      // In turn, so that none is idle until the server closes it.
      const connection = idle.shift();
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
    for (const socket of sockets) socket.terminate();
  }
  return {
    answeredPerSecond: latencies.length / ((performance.now() - countedFrom) / 1000),
    errors: errors + total - settled,
    p99Ms: percentile(latencies, 0.99),
  };
}

/** The status of a response that has arrived whole. Nothing is pipelined, so all that arrives belongs to it. */
function statusOfWhole(text: string): number | undefined {
  const bodyStart = text.indexOf('\r\n\r\n') + 4;
  if (bodyStart < 4) return undefined;
  const status = Number(text.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, bodyStart))?.[1];
  const isWhole =
    length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= bodyStart + Number(length);
  return isWhole ? status : undefined;
}

function render({ method, path, body }: HttpRequest, host: string, headers: Record<string, string>): string {
  const ofBody = body ? { 'Content-Type': 'application/json', 'Content-Length': body.length } : {};
  const fields = Object.entries({ Host: host, ...headers, ...ofBody });
  const lines = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
