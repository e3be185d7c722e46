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
