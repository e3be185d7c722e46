import { InvalidArgumentError } from 'commander';

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

/** A length of time, in milliseconds. */
export function parseDuration(text: string): number {
  const duration = durationMs(text);
  if (Number.isNaN(duration)) throw new InvalidArgumentError('It must be a time such as 30m, 24h or 7d.');
  return duration;
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? NaN);
}
