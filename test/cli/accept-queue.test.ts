import { describe, expect, it } from 'bun:test';
import { startService } from '../process.ts';
import { openConnection } from './raw-http.ts';

const callers = 32;

describe('a service that is told to stop', () => {
  it('serves every connection that was made, also those it has not accepted yet', async () => {
    await using service = await startService();
    const count = { served: 0, cutOff: 0 };
    const running = Array.from({ length: callers }, async () => {
      for (;;) {
        using connection = await openConnection(service.url);
        // Refused is fine: a load balancer tries the next replica, whatever the request is.
        if (!connection) return;
        const response = await connection.send('GET', '/livez');
        if (typeof response === 'string') count.cutOff += 1;
        else count.served += 1;
      }
    });
    while (count.served < 500) await Bun.sleep(1);
    expect(await service.stop()).toBe(0);
    await Promise.all(running);
    expect(count.cutOff).toBe(0);
  });
});
