import { describe, expect, it } from 'bun:test';
import { createDeadline } from '../../src/http/deadline.ts';

describe('a deadline', () => {
  it('leaves alone what ends in time, and gives up what does not, whoever ended before it', async () => {
    const deadline = createDeadline(5);
    const givenUp: string[] = [];
    const begin = (name: string) => deadline.begin(() => givenUp.push(name));
    begin('first');
    const inTime = begin('in time');
    begin('last');
    deadline.end(inTime);
    expect(givenUp).toEqual([]);
    await Bun.sleep(20);
    expect(givenUp).toEqual(['first', 'last']);
  });

  it('holds for those who come later, during its time and after it', async () => {
    const deadline = createDeadline(10);
    const wait = () => new Promise<number>((resolve) => deadline.begin(() => resolve(performance.now())));
    const begunAt = performance.now();
    const first = wait();
    await Bun.sleep(5);
    const second = wait();
    expect((await first) - begunAt).toBeGreaterThanOrEqual(9);
    expect((await second) - begunAt).toBeGreaterThanOrEqual(14);
    const againAt = performance.now();
    expect((await wait()) - againAt).toBeGreaterThanOrEqual(9);
  });
});
