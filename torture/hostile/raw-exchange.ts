import { connect } from 'node:net';
import { headerOf, readResponse } from '../../test/support/http/raw-response.ts';

export interface RawResponses {
  /** The status of each response on the connection; empty when it was closed without one. */
  statuses: number[];
  /** True when the service itself made the first response, not the platform beneath it. */
  isOurs: boolean;
  /** Status line and headers of the first response. */
  head: string;
  body: string;
}

/** A response on a kept-alive connection is over when nothing more comes for this long. */
const quietMs = 400;
const patienceMs = 4000;

/** Sends bytes on a connection of their own and takes whatever comes back. */
export function exchangeRaw(port: number, bytes: string): Promise<RawResponses> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.destroy();
      resolve(readResponses(received));
    };
    const deadline = setTimeout(finish, patienceMs);
    let quiet: Timer | undefined;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    });
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

function readResponses(received: Buffer): RawResponses {
  const statuses: number[] = [];
  let first: { head: string; body: string } | undefined;
  for (let rest = received; rest.length > 0;) {
    const [, status] = /^HTTP\/1\.1 (\d{3})\b/.exec(rest.toString('latin1', 0, 13)) ?? [];
    if (status === undefined) break;
    const response = readResponse(rest) ?? readResponse(rest, true);
    statuses.push(response?.status ?? Number(status));
    if (!response) break;
    first ??= { head: response.head, body: String(response.body) };
    rest = rest.subarray(response.length);
  }
  const { head = '', body = '' } = first ?? {};
  return { statuses, isOurs: headerOf(head, 'X-Request-Id') !== undefined, head, body };
}
