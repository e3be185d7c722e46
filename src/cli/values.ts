import { InvalidArgumentError } from 'commander';
import { int64Range, parseInt64 } from '../domain/int64.ts';

/** Parses an integer within bounds. */
export function integerFrom(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= smallest && value <= largest) return value;
    throw new InvalidArgumentError(`It must be an integer from ${smallest} to ${largest}.`);
  };
}

export function int64(text: string): bigint {
  const value = parseInt64(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(
    `It must be an integer from ${int64Range.smallest} to ${int64Range.largest}.`,
  );
}
