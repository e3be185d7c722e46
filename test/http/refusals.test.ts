import { expect, it } from 'bun:test';
import { createRefusalCounter } from '../../src/http/request-log.ts';
import type { LogFields } from '../../src/domain/log.ts';
import { silentLog } from '../support/http/service.ts';

it('logs what followed once a minute while there is something, and then forgets the address', () => {
  const logged: LogFields[] = [];
  const waiting: (() => void)[] = [];
  const warn = (_message: string, fields: LogFields = {}) => void logged.push(fields);
  const count = createRefusalCounter({ ...silentLog, warn }, 'refused', (run) => void waiting.push(run));
  const afterAMinute = () => {
    for (const run of waiting.splice(0)) run();
    return logged.splice(0);
  };

  for (let index = 0; index < 5; index++) count('192.0.2.7', { key: `till-${index}` });
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 1, key: 'till-0' }]);
  expect(afterAMinute()).toEqual([{ client: '192.0.2.7', count: 4, key: 'till-4' }]);
  count('192.0.2.7');
  expect(afterAMinute()).toEqual([{ client: '192.0.2.7', count: 1 }]);
  expect(afterAMinute()).toEqual([]);
  expect(waiting).toEqual([]);
  // Forgotten, so the next one is logged at once again.
  count('192.0.2.7');
  expect(logged).toEqual([{ client: '192.0.2.7', count: 1 }]);
});
