import { headerOf, readResponse } from '../../test/support/http/raw-response.ts';

/** What callers have seen: how many responses of each kind, and how many requests they cut off. */
export interface Seen {
  responses: Map<string, number>;
  cut: number;
}

export interface CallersOptions {
  port: number;
  connections: number;
  requestsEach: number;
  /** One request in so many is cut off after it was sent; none if it is 0. */
  cutEvery: number;
  /** The key of a connection. Several may share one. */
  keyOf: (connection: number) => string;
}

/** `GET 401 invalid_api_key`: what the metrics count requests by. */
export function kindOf(method: string, status: number, code = ''): string {
  return `${method} ${status} ${code}`.trimEnd();
}

/** Sends as many requests at once as there are connections, and counts what comes back. Raw, so that nothing is repeated. */
export async function callAndCount(options: CallersOptions): Promise<Seen> {
  const seen: Seen = { responses: new Map(), cut: 0 };
  const all = Array.from({ length: options.connections }, (_, index) => callInTurn(options, index, seen));
  await Promise.all(all);
  return seen;
}

async function callInTurn(options: CallersOptions, connection: number, seen: Seen): Promise<void> {
  const { port, requestsEach, cutEvery, keyOf } = options;
  let socket: Connection | undefined;
  for (let index = 0; index < requestsEach; index++) {
    const turn = connection + index;
    socket ??= await connect(port);
    const { method, text } = requestOf(turn, keyOf(connection));
    const response = socket.ask(text);
    if (cutEvery > 0 && turn % cutEvery === 0) {
      // A response that is here already counts; from now on, nobody knows whether the service counted the request.
      await Promise.race([response, Bun.sleep(turn % 20)]);
      if (!socket.hasResponse) {
        seen.cut += 1;
        socket.end();
        socket = undefined;
        continue;
      }
    }
    const { status, head, body } = await response;
    const code = status < 400 ? undefined : (JSON.parse(body.toString()) as { code: string }).code;
    const kind = kindOf(method, status, code);
    seen.responses.set(kind, (seen.responses.get(kind) ?? 0) + 1);
    if (headerOf(head, 'Connection') !== 'close') continue;
    socket.end();
    socket = undefined;
  }
  socket?.end();
}

/** Mostly creates, which fill the write queue; now and then a list, and a key that is wrong. */
function requestOf(turn: number, key: string): { method: string; text: string } {
  const head = (used: string) => `Host: petstore\r\nAuthorization: Bearer ${used}\r\n`;
  if (turn % 8 === 0) return { method: 'GET', text: `GET /v1/pets HTTP/1.1\r\n${head('pets_wrong')}\r\n` };
  if (turn % 8 === 1) return { method: 'GET', text: `GET /v1/pets?limit=5 HTTP/1.1\r\n${head(key)}\r\n` };
  const body = '{"name":"counted","categoryId":1}';
  const fields = `${head(key)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return { method: 'POST', text: `POST /v1/pets HTTP/1.1\r\n${fields}\r\n${body}` };
}

type Answer = NonNullable<ReturnType<typeof readResponse>>;

interface Connection {
  /** Whether the response to the last request is here. */
  readonly hasResponse: boolean;
  ask(text: string): Promise<Answer>;
  end(): void;
}

async function connect(port: number): Promise<Connection> {
  let received: Buffer = Buffer.alloc(0);
  let hasResponse = false;
  let pending = Promise.withResolvers<Answer>();
  const fail = (): void => pending.reject(new Error('The service closed a connection without a response.'));
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_socket, bytes) {
        received = Buffer.concat([received, bytes]);
        const response = readResponse(received);
        if (!response) return;
        hasResponse = true;
        pending.resolve(response);
      },
      close: fail,
      error: fail,
    },
  });
  return {
    get hasResponse() {
      return hasResponse;
    },
    ask(text) {
      received = Buffer.alloc(0);
      hasResponse = false;
      pending = Promise.withResolvers();
      // A request that is cut off has nobody who waits for this.
      pending.promise.catch(() => {});
      socket.write(text);
      return pending.promise;
    },
    end: () => socket.terminate(),
  };
}
