import { JsonNumber } from '../domain/int64.ts';

const longest = 40;

/** Ends a sentence with the value that it refuses, if there is one. */
export function withValue(sentence: string, value: unknown): string {
  return value === undefined ? sentence : `${sentence.replace(/\.$/, '')}, not ${quoteValue(value)}.`;
}

/** A text as a JSON string, shortened, which makes control characters visible. */
export function quoteText(text: string): string {
  return JSON.stringify(shorten(text));
}

function quoteValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (value instanceof JsonNumber) return shorten(value.source);
  // The exact JSON parser empties them, so there is nothing to show.
  return typeof value === 'object' && value !== null ? 'an array or object' : String(value);
}

/** Not between the two halves of a surrogate pair. */
function shorten(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
