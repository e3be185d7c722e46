import { connect, createServer, type AddressInfo } from 'node:net';
import { framesOf } from './pooler.ts';

/**
 * Makes a PostgreSQL server speak German, as one does whose `lc_messages` say so: the severity of every error and notice
 * (field S) and its text (M) are translated; the SQLSTATE (C) and the severity that never is (V) stay as they are. The
 * server from npm is built without translations.
 */
export interface Translator extends AsyncDisposable {
  port: number;
  /** Severities that were translated, as the server wrote them. */
  readonly translated: string[];
}

const germanOf: Record<string, string> = {
  ERROR: 'FEHLER',
  FATAL: 'FATAL',
  PANIC: 'PANIK',
  WARNING: 'WARNUNG',
  NOTICE: 'HINWEIS',
};

export async function openTranslator(serverPort: number): Promise<Translator> {
  const translated: string[] = [];
  const listener = createServer((caller) => {
    const server = connect(serverPort, '127.0.0.1');
    caller.on('data', (bytes) => server.write(bytes));
    const takeMessages = framesOf((message) => {
      const isReport = ['E', 'N'].includes(String.fromCharCode(message[0]!));
      caller.write(isReport ? translateFields(message, translated) : message);
    });
    server.on('data', takeMessages);
    for (const [socket, other] of [
      [caller, server],
      [server, caller],
    ] as const)
      socket.on('error', () => {}).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    translated,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

function translateFields(message: Buffer, translated: string[]): Buffer {
  const fields = message.subarray(5, -2).toString('utf8').split('\0');
  const german = fields.map((field) => {
    if (field.startsWith('M')) return 'MAuf Deutsch';
    if (!field.startsWith('S')) return field;
    translated.push(field.slice(1));
    return `S${germanOf[field.slice(1)] ?? field.slice(1)}`;
  });
  const body = Buffer.from(`${german.join('\0')}\0\0`, 'utf8');
  const head = Buffer.from(message.subarray(0, 5));
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
