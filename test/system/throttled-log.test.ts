import { expect, it } from 'bun:test';
import { createThrottledLog } from '../../src/system/throttled-log.ts';

it('logs the following events once per period while there are any, and then forgets the kind', async () => {
  const logged: unknown[] = [];
  const periodMs = 50;
  const count = createThrottledLog(
    (client, times, fields) => void logged.push({ client, count: times, ...fields }),
    periodMs,
  );

  for (let index = 0; index < 5; index++) count('192.0.2.7', { key: `till-${index}` });
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 1, key: 'till-0' }]);
  while (logged.length === 0) await Bun.sleep(1);
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 4, key: 'till-4' }]);
  await Bun.sleep(3 * periodMs);
  expect(logged).toEqual([]);
  // Forgotten, so the next one is logged at once again.
  count('192.0.2.7');
  expect(logged).toEqual([{ client: '192.0.2.7', count: 1 }]);
});
