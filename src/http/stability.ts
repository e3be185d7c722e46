import { PetstoreError } from '../domain/error.ts';

const header = 'Petstore-Stability';
const experimental = 'experimental';

/** Sent with every response of an experimental operation, errors included. */
export const experimentalMark = { [header]: experimental };

/** Methods and headers that scripts of other origins may use as well, if their preflight names the header. */
export const experimentalCors = { methods: ['PATCH', 'DELETE'], header };

/**
 * Whether a request asks for the experimental operations. A value that nobody knows does too, so that it can be refused.
 * A preflight cannot carry the header, but it names it.
 */
export function asksForExperimental(request: Request): boolean {
  const value = request.headers.get(header);
  return request.method === 'OPTIONS' ? value === experimental || isPreflightFor(request) : value !== null;
}

/** Fails with `invalid_parameter` unless the header names a stability that exists. Two headers arrive joined by ", ". */
export function checkStability(request: Request): void {
  if (request.headers.get(header) === experimental) return;
  throw new PetstoreError(
    'invalid_parameter',
    `${header} must be given once, as ${experimental}, or left out.`,
  );
}

function isPreflightFor({ headers }: Request): boolean {
  if (!headers.has('Access-Control-Request-Method')) return false;
  const names = headers.get('Access-Control-Request-Headers')?.toLowerCase().split(',') ?? [];
  return names.some((name) => name.trim() === header.toLowerCase());
}
