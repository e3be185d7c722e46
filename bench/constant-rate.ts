import { readFileSync } from 'node:fs';

/**
 * A load generator that sends requests at fixed moments, whether the answers come or not. wrk cannot: it
 * waits for an answer before it sends again, so a server that stalls is asked less and looks quick
 * ("coordinated omission"). Here a request that has to wait for a free connection counts from the moment it
 * was due. The generator's own lateness is in the figures too, and is reported beside them.
 *
 *   bun bench/constant-rate.ts '{"port":8080,"rate":1000,…}'   prints one line of JSON
 */
export interface ConstantRateOptions {
  port: number;
  rate: number;
  seconds: number;
  /** At the same rate, before what is counted; in one process, so that the generator is warm too. */
  warmUpSeconds: number;
  connections: number;
  requestsFile: string;
  headers: Record<string, string>;
  /** Sleeps between requests instead of watching the clock: less exact, and out of the way of others. */
  isBackground: boolean;
}

export interface ConstantRateOutcome {
  answered: number;
  seconds: number;
  errors: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  maxMs: number;
  generatorLagP99Ms: number;
}

interface Connection {
  socket: Bun.Socket;
  received: string;
  dueAt: number;
}

if (import.meta.main) {
  const outcome = await runAtConstantRate(JSON.parse(process.argv[2]!) as ConstantRateOptions);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
  process.exit(0);
}

export async function runAtConstantRate(options: ConstantRateOptions): Promise<ConstantRateOutcome> {
  const requests = renderRequests(options);
  const warmUp = Math.round(options.rate * options.warmUpSeconds);
  const total = warmUp + Math.max(1, Math.round(options.rate * options.seconds));
  const latencies: number[] = [];
  const lags: number[] = [];
  const idle: Connection[] = [];
  const waiting: number[] = [];
  const finished = Promise.withResolvers<void>();
  let errors = 0;
  let sent = 0;
  let settled = 0;

  const send = (connection: Connection, dueAt: number): void => {
    connection.dueAt = dueAt;
    connection.received = '';
    connection.socket.write(requests[sent++ % requests.length]!);
  };
  const settle = (connection: Connection, isGood: boolean): void => {
    settled += 1;
    if (connection.dueAt >= countedFrom) latencies.push(performance.now() - connection.dueAt);
    if (!isGood) errors += 1;
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else send(connection, next);
    if (settled === total) finished.resolve();
  };
  let countedFrom = 0;
  const fail = (reason: string): void => finished.reject(new Error(`The server ${reason} a connection.`));

  const connections = await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const connection = { received: '', dueAt: 0 } as Connection;
      connection.socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: options.port,
        socket: {
          data(_, bytes) {
            connection.received += bytes.toString('latin1');
            const status = statusOfWhole(connection.received);
            if (status !== undefined) settle(connection, status < 400);
          },
          close: () => fail('closed'),
          error: () => fail('broke'),
        },
      });
      return connection;
    }),
  );
  idle.push(...connections);

  const startedAt = performance.now();
  const msBetween = 1000 / options.rate;
  let due = 0;
  countedFrom = startedAt + warmUp * msBetween;
  const tick = (): void => {
    const now = performance.now();
    while (due < total && startedAt + due * msBetween <= now) {
      const dueAt = startedAt + due * msBetween;
      if (due >= warmUp) lags.push(now - dueAt);
      const connection = idle.pop();
      if (connection) send(connection, dueAt);
      else waiting.push(dueAt);
      due += 1;
    }
    if (due === total) return;
    if (options.isBackground) setTimeout(tick, startedAt + due * msBetween - now);
    else setImmediate(tick);
  };
  tick();
  // A server that cannot keep up is not waited for without end.
  const deadline = setTimeout(
    () => finished.resolve(),
    (options.warmUpSeconds + options.seconds) * 2000 + 10_000,
  );
  await finished.promise;
  clearTimeout(deadline);

  const seconds = (performance.now() - countedFrom) / 1000;
  const [p50Ms, p99Ms, p999Ms, maxMs] = percentiles(latencies, [0.5, 0.99, 0.999, 1]);
  const [generatorLagP99Ms] = percentiles(lags, [0.99]);
  const unanswered = total - settled;
  return {
    answered: latencies.length,
    seconds,
    errors: errors + unanswered,
    p50Ms: p50Ms!,
    p99Ms: p99Ms!,
    p999Ms: p999Ms!,
    maxMs: maxMs!,
    generatorLagP99Ms: generatorLagP99Ms!,
  };
}

/** The status of an answer that has arrived whole. Nothing is pipelined, so whatever arrives belongs to it. */
function statusOfWhole(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const status = Number(text.slice(9, 12));
  if (status === 304) return status;
  const head = text.slice(0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isWhole =
    length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= headEnd + 4 + Number(length);
  return isWhole ? status : undefined;
}

function renderRequests({ requestsFile, headers, port }: ConstantRateOptions): string[] {
  const common = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return readFileSync(requestsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [method, path, body = ''] = line.split('\t');
      const length = Buffer.byteLength(body);
      const ofBody = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
      return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${common.join('')}${ofBody}\r\n${body}`;
    });
}

function percentiles(values: number[], shares: number[]): number[] {
  const sorted = Float64Array.from(values).toSorted();
  return shares.map((share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
