import { openConnection, requestText } from '../http/raw-http.ts';
import { randomFrom } from '../random.ts';

/**
 * Sends the same random requests each time, one after the other on one connection, and returns the bytes of the responses.
 * Only the date is left out; the ids of the requests are the caller's.
 */
export async function recordSession({ url, apiKey }: Sandbox, count: number): Promise<string[]> {
  const recorded: string[] = [];
  using connection = await openConnection(url);
  for (const text of sessionOf(new URL(url).hostname, apiKey, count)) {
    connection?.write(text);
    const found = await connection?.receiveBytes();
    if (typeof found !== 'object') throw new Error(`No response to ${text}`);
    recorded.push(`${found.head}\r\n\r\n${found.body.toString()}`.replace(/^Date: .*$/m, 'Date: (some)'));
  }
  return recorded;
}

interface Sandbox {
  url: string;
  apiKey: string;
}

function sessionOf(host: string, key: string, count: number): string[] {
  const random = randomFrom(1);
  const pick = (limit: number): number => Math.floor(random.next() * limit);
  const status = () =>
    random.pick(['', '&status=available', '&status=pending', '&status=sold', '&status=lost']);
  const kinds = [
    () => ['GET', `/v1/pets?limit=${pick(110)}${status()}`],
    () => ['GET', `/v1/pets/${pick(200)}`],
    () => ['POST', '/v1/pets', `{"name":"Pet ${pick(50)}","categoryId":${pick(9)}}`, `key-${pick(80)}`],
    () => ['POST', '/v1/pets', '{"name":1}'],
    () => ['DELETE', '/v1/pets'],
    () => ['GET', '/v1/nothing'],
  ];
  return Array.from({ length: count }, (_, index) => {
    const [method = '', path = '', body, idempotencyKey] = random.pick(kinds)();
    const headers = {
      'X-Request-Id': `session-${index}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
    return requestText(method, path, host, { key, headers, ...(body !== undefined && { body }) });
  });
}
