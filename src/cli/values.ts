import { InvalidArgumentError } from 'commander';

/** Parses an integer within bounds. */
export function integerFrom(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= smallest && value <= largest) return value;
    throw new InvalidArgumentError(`It must be an integer from ${smallest} to ${largest}.`);
  };
}
