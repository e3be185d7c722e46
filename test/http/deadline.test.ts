import { describe, expect, it } from 'bun:test';
import { createDeadline } from '../../src/http/deadline.ts';

const late = () => new Error('late');
const never = new Promise<string>(() => {});
const failureOf = (work: Promise<unknown>) => work.then(String, ({ message }: Error) => message);

describe('a deadline', () => {
  it('gives what ends in time, value or error', async () => {
    const within = createDeadline(60_000);
    expect(await within(Promise.resolve('done'), late)).toBe('done');
    expect(await failureOf(within(Promise.reject(new Error('failed')), late))).toBe('failed');
  });

  it('fails what does not, whoever ended before it', async () => {
    const within = createDeadline(5);
    const inTime = within(Promise.resolve('done'), late);
    const outcomes = await Promise.allSettled([within(never, late), inTime, within(never, late)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  });

  it('holds for those who come later, during its time and after it', async () => {
    const within = createDeadline(10);
    const first = within(never, late);
    await Bun.sleep(5);
    const second = within(never, late);
    expect(await failureOf(first)).toBe('late');
    expect(await failureOf(second)).toBe('late');
    expect(await failureOf(within(never, late))).toBe('late');
  });
});
