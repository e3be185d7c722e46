import { styleText } from 'node:util';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Ends a command's help with examples. */
export function addExamples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', () => `\n${styleText('bold', 'Examples:')}\n  ${lines.join('\n  ')}`);
}

/** For the help of commands that use a bucket. */
export const s3Help = `
For s3: addresses, set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; if needed,
S3_ENDPOINT, S3_REGION and S3_SESSION_TOKEN.`;

/** Returns a duration in milliseconds. */
export function parseDuration(text: string): number {
  const duration = durationMs(text);
  if (Number.isNaN(duration)) throw new InvalidArgumentError('It must be a time such as 30m, 24h or 7d.');
  return duration;
}

export function durationOption(flags: string, help: string, fallback: string): Option {
  return new Option(flags, help).default(parseDuration(fallback), fallback).argParser(parseDuration);
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** NaN if the text is not a duration. */
export function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? NaN);
}
