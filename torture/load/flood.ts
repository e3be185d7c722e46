import { headerOf, readResponse } from '../../test/support/http/raw-response.ts';

/**
 * Callers that do not wait their turn, in a process of its own: every connection sends the next request as soon as
 * the last one has its response, and one that gets none in time is given up and opened anew.
 *
 *   bun torture/load/flood.ts '{"port":8080,…}'   prints one line of JSON a second
 */
export interface FloodOptions {
  port: number;
  key: string;
  connections: number;
  seconds: number;
  /** Requests per second over all connections; as many as there can be when it is left out. */
  rate?: number;
  /** One request in so many is a create. */
  createEvery: number;
  /** A caller waits this long for a response. */
  patienceMs: number;
}

export interface FloodSecond {
  useful: number;
  /** 503, which asks the caller to come again. */
  refused: number;
  /** Anything else. */
  wrong: number;
  failed: number;
}

if (import.meta.main) await flood(JSON.parse(process.argv[2] ?? '') as FloodOptions);

async function flood(options: FloodOptions): Promise<void> {
  const { port, key, connections, seconds, rate, createEvery, patienceMs } = options;
  const head = `Host: petstore\r\nAuthorization: Bearer ${key}\r\n`;
  const list = `GET /v1/pets?limit=20 HTTP/1.1\r\n${head}\r\n`;
  const body = '{"name":"flood","categoryId":1}';
  const create = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  let second: FloodSecond = { useful: 0, refused: 0, wrong: 0, failed: 0 };
  let sent = 0;
  let due = rate === undefined ? Infinity : 0;
  const waiting: (() => void)[] = [];

  const open = (): void => {
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    let isOver = false;
    let giveUp: Timer | undefined;
    const again = (): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(giveUp);
      setTimeout(open, 50);
    };
    const next = (socket: Bun.Socket): void => {
      if (isOver) return;
      if (due < 1) {
        waiting.push(() => next(socket));
        return;
      }
      due -= 1;
      sentAt = performance.now();
      received = Buffer.alloc(0);
      socket.write(sent++ % createEvery === 0 ? create : list);
    };
    const fail = (): void => {
      if (!isOver) second.failed += 1;
      again();
    };
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(socket) {
          next(socket);
          giveUp = setInterval(() => {
            if (sentAt === 0 || performance.now() - sentAt < patienceMs) return;
            fail();
            socket.terminate();
          }, patienceMs / 2);
        },
        data(socket, bytes) {
          // Nothing is pipelined, so whatever arrives belongs to one response.
          received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
          const response = readResponse(received);
          if (!response) return;
          const { status, head: responseHead } = response;
          sentAt = 0;
          if (status < 400) second.useful += 1;
          else if (status === 503) second.refused += 1;
          else second.wrong += 1;
          if (headerOf(responseHead, 'Connection') === 'close') {
            socket.end();
            again();
          } else next(socket);
        },
        close: () => (sentAt === 0 ? again() : fail()),
        error: fail,
        connectError: fail,
      },
    }).catch(fail);
  };

  for (let count = 0; count < connections; count++) open();
  if (rate !== undefined) {
    setInterval(() => {
      due = Math.min(due + rate / 100, rate);
      for (let free = Math.min(Math.floor(due), waiting.length); free > 0; free--) waiting.shift()?.();
    }, 10);
  }
  for (let passed = 0; passed < seconds; passed++) {
    await Bun.sleep(1000);
    process.stdout.write(`${JSON.stringify(second)}\n`);
    second = { useful: 0, refused: 0, wrong: 0, failed: 0 };
  }
  process.exit(0);
}
