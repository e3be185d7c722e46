import { describe, expect, it } from 'bun:test';
import { maxBodyBytes } from '../../../src/domain/pet.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { peakMemoryMb } from '../../support/process/process-figures.ts';
import { startService, type Service } from '../../support/process/process.ts';

const start = '{"categoryId":1,"name":"';
const body = `${start}${'x'.repeat(maxBodyBytes - start.length - 2)}"}`;

/** Creates pets whose requests become complete at the same moment. Returns the responses that are no 201. */
async function createTogether({ url, apiKey, call }: Service, count: number): Promise<string[]> {
  const request = Buffer.from(
    `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  using stack = new DisposableStack();
  const connections = await Promise.all(
    Array.from({ length: count }, async () => stack.use((await openConnection(url))!)),
  );
  for (const connection of connections) connection.write(request.subarray(0, -1));
  // Once this is served, so are the bytes that were sent before it.
  await call('/v1/pets?limit=1');
  for (const connection of connections) connection.write(request.subarray(-1));
  const responses = await Promise.all(connections.map((connection) => connection.receiveBytes()));
  return responses
    .filter((response) => typeof response === 'string' || response.status !== 201)
    .map((response) => (typeof response === 'string' ? response : String(response.body)));
}

describe('creates of 64 KiB that arrive together', () => {
  // More than 512 do not fit into the queue, and their bodies alone take a quarter of the memory.
  it('leave no outcome unknown: 900 of them, with less than 384 MiB', async () => {
    const count = 900;
    await using database = await makeDatabase();
    await using service = await startService({ databaseUrl: database.address() });
    const refused = await createTogether(service, count);
    expect(refused.filter((text) => !/"code":"(?:overloaded|unavailable)"/.test(text))).toEqual([]);
    expect(refused.filter((text) => text.includes('unknown'))).toEqual([]);
    const created = await database.run('SELECT FROM pets');
    expect(created).toHaveLength(count - refused.length);
    expect(peakMemoryMb([service.pid])).toBeLessThan(384);
  });
});
