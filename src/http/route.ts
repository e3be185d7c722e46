import type { MaybePromise } from './maybe-promise.ts';
import type { Caller } from './callers/auth.ts';
import type { Quota } from './callers/rate-limit.ts';
import type { PlainResponse, Stability } from './response.ts';

/** One request and what is known about it. */
export interface Call {
  request: Request;
  method: string;
  /** As the contract writes it: the requested path may hold a secret. */
  path: string;
  /** The last segment of the path, where the path leaves it open. */
  parameter: string | undefined;
  requestId: string;
  startedAt: number;
  /** Nobody until the key is checked. */
  caller: Caller;
  quota: Quota | undefined;
}

export type Handler = (call: Call) => MaybePromise<PlainResponse>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Methods = Partial<Record<Method, Handler>>;

/** A path and what it serves. */
export interface Route {
  path: string;
  methods: Methods;
  /** True for the few paths that need no API key. */
  isOpen?: boolean;
  /** Added to every response of this path, errors included. A response that is kept must bring them itself. */
  headers?: Record<string, string>;
  /** The marks of its methods that are not stable. A response of theirs carries its mark instead of `headers`. */
  stability?: Partial<Record<Method, Stability>>;
}

/** Finds the route of an address. Paths are compared after percent-decoding. */
type FindRoute<Target> = (url: string) => { route: Target; parameter: string | undefined } | undefined;

/** Paths are given as `/fixed/path` or `/fixed/:parameter`, where the parameter is the last segment and not empty. */
export function createRouter<Target>(routes: Record<string, Target>): FindRoute<Target> {
  const fixed = new Map<string, Target>();
  const withParameter = new Map<string, Target>();
  for (const [path, route] of Object.entries(routes)) {
    const parameterAt = path.indexOf(':');
    if (parameterAt === -1) fixed.set(path, route);
    else withParameter.set(path.slice(0, parameterAt), route);
  }

  return (url) => {
    const path = pathOf(url);
    const decoded = path.includes('%') ? decode(path) : path;
    const exact = fixed.get(decoded);
    if (exact !== undefined) return { route: exact, parameter: undefined };
    const parameterAt = decoded.lastIndexOf('/') + 1;
    const route = withParameter.get(decoded.slice(0, parameterAt));
    if (route === undefined || parameterAt === decoded.length) return undefined;
    return { route, parameter: decoded.slice(parameterAt) };
  };
}

/**
 * The path in a request's address, which is a bare path when the request had no Host (HTTP/1.0). A `#` is a character
 * like any other: a request target has no fragment (RFC 9112, section 3.2).
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
