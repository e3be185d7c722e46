import { InvalidArgumentError } from 'commander';
import { durationMs } from '../values.ts';

export function parseName(text: string): string {
  if (text === '') throw new InvalidArgumentError('A key needs a name.');
  return text;
}

/** A date, or a time from now. */
export function parseExpiry(text: string, now: Date): Date {
  const isDate = /^\d{4}-\d\d-\d\d/.test(text);
  const time = isDate ? Date.parse(text) : now.getTime() + durationMs(text);
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or a time such as 90d.');
  }
  if (time <= now.getTime()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(time);
}
