import { describe, expect, it } from 'bun:test';
import { isRecentPatroni } from '../../torture/patroni/programs.ts';

describe('the Patroni test', () => {
  for (const version of ['3.0.3', '3.1.0', '4.0.0', '4.1.4', '10.0.0']) {
    it(`runs with Patroni ${version}`, () => expect(isRecentPatroni(version)).toBe(true));
  }

  for (const version of ['3.0.2', '2.1.7', '0.9.9', '']) {
    it(`refuses Patroni ${version || 'without a version'}`, () =>
      expect(isRecentPatroni(version)).toBe(false));
  }
});
