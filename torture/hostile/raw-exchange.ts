import { connect } from 'node:net';

export interface RawAnswers {
  /** The status of each answer on the connection; empty when it was closed without one. */
  statuses: number[];
  /** True when the service itself made the first answer, not the platform beneath it. */
  isOurs: boolean;
  /** Status line and headers of the first answer. */
  head: string;
  body: string;
}

/** An answer on a kept-alive connection is over when nothing more comes for this long. */
const quietMs = 400;
const patienceMs = 4000;

/** Sends bytes on a connection of their own and takes whatever comes back. */
export function exchangeRaw(port: number, bytes: string): Promise<RawAnswers> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.destroy();
      resolve(readAnswers(received));
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

function readAnswers(received: Buffer): RawAnswers {
  const statuses: number[] = [];
  let first: { head: string; body: string } | undefined;
  for (let rest = received; rest.length > 0;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const head = rest.toString('latin1', 0, headEnd === -1 ? rest.length : headEnd);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(`${head} `.replace('\r\n', ' ')) ?? [];
    if (status === undefined) break;
    statuses.push(Number(status));
    if (headEnd === -1) break;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    first ??= { head, body: rest.toString('utf8', headEnd + 4, headEnd + 4 + length) };
    rest = rest.subarray(headEnd + 4 + length);
  }
  const { head = '', body = '' } = first ?? {};
  return { statuses, isOurs: /\r\nx-request-id:/i.test(head), head, body };
}
