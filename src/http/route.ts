import type { Caller, Quota } from './callers.ts';
import type { MaybePromise, Representation } from './response.ts';

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
  /** For a path that serves nothing: what its error says besides. */
  hint?: string;
  /** True for the few paths that need no API key. */
  isOpen?: boolean;
  /** Added to every response of this path, errors included. */
  headers?: Record<string, string>;
  /** The marks of methods that are not stable. Their responses carry the mark instead of `headers`. */
  stability?: Partial<Record<Method, 'experimental' | 'beta'>>;
}
