import { describe, expect, it } from 'bun:test';
import { openService } from '../../support/http/service.ts';

describe('POST /v1/pets', () => {
  it('gives up a body that does not come to an end, and its connection with it', async () => {
    await using service = await openService({ bodyTimeoutMs: 20 });
    const endless = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await Bun.sleep(1);
        controller.enqueue(new TextEncoder().encode(' '));
      },
    });
    const answer = await service.call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: endless,
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Connection')).toBe('close');
    expect(await answer.json()).toEqual({
      code: 'invalid_json',
      message: 'The body did not arrive within 0.02 seconds.',
      status: 400,
    });
  });
});
