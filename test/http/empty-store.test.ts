import { expect, it } from 'bun:test';
import { openService } from '../support/http/service.ts';

it('lists an empty array if there are no pets', async () => {
  await using service = await openService();
  for (const query of ['', '?limit=1', '?status=sold']) {
    expect(await (await service.call(`/v1/pets${query}`)).text()).toBe('[]');
  }
});
