export interface ReceivedRequest {
  /** The method and the path with its query. */
  line: string;
  headers: Headers;
  body: string;
}

export interface ScriptedServer extends AsyncDisposable {
  url: string;
  port: number;
  received: ReceivedRequest[];
}

/** A server on the loopback interface that records its requests and gives the responses in turn, the last for ever. */
export function openScriptedServer(...responses: (() => Response)[]): ScriptedServer {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const respond = responses[Math.min(received.length, responses.length - 1)]!;
      received.push({
        line: `${request.method} ${pathname}${search}`,
        headers: request.headers,
        body: await request.text(),
      });
      return respond();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port!,
    received,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A response with an error of the service. */
export function errorResponse(status: number, code: string, headers: Record<string, string> = {}) {
  return (): Response => Response.json({ code, message: 'No.', status }, { status, headers });
}
