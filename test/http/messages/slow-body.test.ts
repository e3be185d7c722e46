import { expect, it } from 'bun:test';
import { openService } from '../../support/http/service.ts';

it('refuses a body that trickles in and does not end in time, and closes its connection', async () => {
  await using service = await openService({ bodyTimeoutMs: 20 });
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await Bun.sleep(1);
      controller.enqueue(Buffer.from(' '));
    },
  });
  const headers = { 'Content-Type': 'application/json' };
  const response = await service.call('/v1/pets', { method: 'POST', headers, body });
  expect(response.status).toBe(408);
  expect(response.headers.get('Connection')).toBe('close');
});
