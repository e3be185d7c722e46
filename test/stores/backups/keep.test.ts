import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { findSurplus, parseKeep } from '../../../src/stores/backups/keep.ts';

const backup = (time: string) => ({ createdAt: new Date(time) });
const now = new Date('2026-11-16T12:30:00Z');
const surplusOf = (times: string[], rule: string) =>
  findSurplus(times.toSorted().map(backup), parseKeep(rule)).map(({ createdAt }) =>
    createdAt.toISOString().slice(0, 16),
  );

describe('parseKeep', () => {
  it('reads hours, days, weeks, months and years', () => {
    expect(parseKeep('24h,7d, 4w,12m,3y')).toEqual([
      { unit: 'h', count: 24 },
      { unit: 'd', count: 7 },
      { unit: 'w', count: 4 },
      { unit: 'm', count: 12 },
      { unit: 'y', count: 3 },
    ]);
  });

  it.each(['', '0h', '7', 'd', '7x', '7d,', '-1d', '1.5d', '99999d'])('refuses %j', (text) => {
    expect(() => parseKeep(text)).toThrow(/^--keep must be a rule such as 24h,7d,4w,12m, not /);
  });
});

describe('findSurplus', () => {
  it('keeps the newest of each hour', () => {
    const times = [
      '2026-11-16T12:10',
      '2026-11-16T12:20',
      '2026-11-16T11:50',
      '2026-11-16T11:10',
      '2026-11-16T10:00',
    ];
    expect(
      surplusOf(
        times.map((time) => `${time}:00Z`),
        '2h',
      ),
    ).toEqual(['2026-11-16T12:10', '2026-11-16T11:10', '2026-11-16T10:00']);
  });

  it('counts only periods that have a backup, so a pause in the backups loses none', () => {
    const times = ['2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-11-16T00:00:00Z'];
    expect(surplusOf(times, '3d')).toEqual([]);
    expect(surplusOf(times, '2m')).toEqual(['2026-01-01T00:00']);
  });

  it('begins a week on Monday', () => {
    // Sunday, Monday, Tuesday.
    const times = ['2026-11-08T12:00:00Z', '2026-11-09T12:00:00Z', '2026-11-10T12:00:00Z'];
    expect(surplusOf(times, '2w')).toEqual(['2026-11-09T12:00']);
  });

  it('never removes the newest, and removes the same backups at once as step by step', () => {
    const time = fc
      .integer({ min: 0, max: 400 * 24 })
      .map((hours) => new Date(now.getTime() - hours * 1_800_000));
    fc.assert(
      fc.property(fc.uniqueArray(time, { minLength: 1, maxLength: 60, selector: Number }), (times) => {
        const rules = parseKeep('3h,3d,2w,2m');
        const backups = times
          .map((createdAt) => ({ createdAt }))
          .sort((a, b) => Number(a.createdAt) - Number(b.createdAt));
        const surplus = new Set(findSurplus(backups, rules));
        const newest = backups.at(-1)!;
        expect(surplus.has(newest)).toBe(false);
        const kept = backups.filter((each) => !surplus.has(each));
        expect(findSurplus(kept, rules)).toEqual([]);
      }),
    );
  });
});
