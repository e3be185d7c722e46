import type { Caller } from './authentication.ts';
import type { Quota } from './rate-limit.ts';
import type { MaybePromise } from '../system/maybe-promise.ts';
import type { Representation } from './response.ts';

/** A request and its context. */
export interface Call {
  request: Request;
  method: string;
  /** The path as the contract writes it: the requested path may contain a secret. */
  path: string;
  /** The last segment of the path, if the route has a parameter. */
  parameter: string | undefined;
  requestId: string;
  startedAt: number;
  /** How long the caller chose to wait for events, which does not count as the request's duration. */
  waitedMs: number;
  /** `nobody` until the key is checked. */
  caller: Caller;
  quota: Quota | undefined;
}

export type Handler = (call: Call) => MaybePromise<Representation>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Methods = Partial<Record<Method, Handler>>;

/** A path and what it serves. */
export interface Route {
  path: string;
  methods: Methods;
  /** Added to the error of a path that serves nothing. */
  hint?: string;
  /** True for the few paths that need no API key. */
  isOpen?: boolean;
  /** Added to every response of this path, errors included. */
  headers?: Record<string, string>;
  /** The marks of methods that are not stable. Their responses carry the mark instead of `headers`. */
  stability?: Partial<Record<Method, 'experimental' | 'beta'>>;
}

/** Finds the route for a URL. Paths are compared after percent-decoding. */
type FindRoute<Target> = (url: string) => { target: Target; parameter: string | undefined } | undefined;

/** Paths have the form `/fixed/path` or `/fixed/:parameter`. The parameter is the last segment and never empty. */
export function createRouter<Target>(routes: Record<string, Target>): FindRoute<Target> {
  const fixed = new Map<string, Target>();
  const withParameter = new Map<string, Target>();
  for (const [path, target] of Object.entries(routes)) {
    const parameterAt = path.indexOf(':');
    if (parameterAt === -1) fixed.set(path, target);
    else withParameter.set(path.slice(0, parameterAt), target);
  }

  return (url) => {
    const path = pathOf(url);
    const decoded = path.includes('%') ? decode(path) : path;
    const exact = fixed.get(decoded);
    if (exact !== undefined) return { target: exact, parameter: undefined };
    const parameterAt = decoded.lastIndexOf('/') + 1;
    const target = withParameter.get(decoded.slice(0, parameterAt));
    if (target === undefined || parameterAt === decoded.length) return undefined;
    return { target, parameter: decoded.slice(parameterAt) };
  };
}

/**
 * The path of a request's URL, which is a bare path if the request had no Host (HTTP/1.0). A `#` is an ordinary
 * character: a request target has no fragment (RFC 9112, section 3.2).
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 'https://'.length);
  const end = url.indexOf('?', start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
