import { expect, it } from 'bun:test';
import { createThrottledLog } from '../../src/http/log-and-metrics.ts';

it('logs the following events once per period while there are any, and then forgets the kind', () => {
  const logged: unknown[] = [];
  const waiting: (() => void)[] = [];
  const count = createThrottledLog(
    (client, times, fields) => void logged.push({ client, count: times, ...fields }),
    (run) => void waiting.push(run),
  );
  const afterAPeriod = () => {
    for (const run of waiting.splice(0)) run();
    return logged.splice(0);
  };

  for (let index = 0; index < 5; index++) count('192.0.2.7', { key: `till-${index}` });
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 1, key: 'till-0' }]);
  expect(afterAPeriod()).toEqual([{ client: '192.0.2.7', count: 4, key: 'till-4' }]);
  count('192.0.2.7');
  expect(afterAPeriod()).toEqual([{ client: '192.0.2.7', count: 1 }]);
  expect(afterAPeriod()).toEqual([]);
  expect(waiting).toEqual([]);
  // Forgotten, so the next one is logged at once again.
  count('192.0.2.7');
  expect(logged).toEqual([{ client: '192.0.2.7', count: 1 }]);
});
