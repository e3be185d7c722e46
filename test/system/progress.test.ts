import { expect, it } from 'bun:test';
import { createLog } from '../../src/system/log.ts';
import { reportInLog } from '../../src/system/progress.ts';

function logSteps(everyMs?: number): object[] {
  const lines: object[] = [];
  const log = createLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) });
  const progress = reportInLog(log, everyMs).progress('names made searchable', 3000);
  for (let step = 0; step < 3; step++) progress.add(1000);
  progress[Symbol.dispose]();
  return lines;
}

it('logs the end of a step, and no line for each of its parts', () => {
  expect(logSteps()).toMatchObject([{ message: 'names made searchable', done: 3000, total: 3000 }]);
});

it('logs how far a long step is', () => {
  expect(logSteps(0)).toMatchObject([{ done: 1000 }, { done: 2000 }, { done: 3000 }, { done: 3000 }]);
});
