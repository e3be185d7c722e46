import { nextQuery } from '../../test/support/http/calls.ts';
import { openConnection, type RawConnection, type RawRequest } from '../../test/support/http/raw-http.ts';
import { checkResponse } from '../../test/support/contract/conformance.ts';
import { fixedKey } from '../../test/support/process/process.ts';
import type { History, KeyLife, Order, Pet, Range } from './history.ts';

/** A key that callers may use, valid or not. */
export interface UsedKey {
  key: string;
  life: KeyLife;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  from: number;
  to: number;
}

/** Sends requests and keeps a record of how keys fare. */
export interface Line extends Disposable {
  /** Whether it may repeat a request by itself: then nobody knows how often one was delivered. */
  mayResend: boolean;
  /** The answer; `unknown` without a whole one, `refused` if nobody got the request or its key was not accepted. */
  send(url: string, method: string, path: string, options?: LineRequest): Promise<Answer | Unknown>;
}

export interface Unknown {
  status: 'unknown' | 'refused';
  from: number;
}

export interface LineRequest extends Omit<RawRequest, 'key'> {
  key?: UsedKey | undefined;
}

/** A request takes longer only if several waits of the service add up; its outcome is then unknown. */
const patienceMs = 20_000;

/** HTTP on a socket, which delivers each request once or not at all. */
export function openLine(history: History): Line {
  const connections = new Map<string, RawConnection>();
  const hangUp = (url: string): void => {
    connections.get(url)?.[Symbol.dispose]();
    connections.delete(url);
  };
  return {
    mayResend: false,
    async send(url, method, path, { key, ...request } = {}) {
      const connection = connections.get(url) ?? (await openConnection(url));
      const from = performance.now();
      if (!connection) {
        await Bun.sleep(5);
        return { status: 'refused', from };
      }
      connections.set(url, connection);
      const impatience = setTimeout(() => hangUp(url), patienceMs);
      const response = await connection.send(method, path, { ...request, key: key?.key ?? fixedKey });
      const to = performance.now();
      clearTimeout(impatience);
      if (typeof response === 'string' || response.headers.get('Connection') === 'close') hangUp(url);
      if (typeof response === 'string') return { status: 'unknown', from };
      const { status, headers } = response;
      if (status === 503) return { status: 'unknown', from };
      if (key) history.keyUses.push({ key: key.life, from, to, isAccepted: status !== 401 });
      if (key && status === 401) return { status: 'refused', from };
      return { status, headers, text: await response.text(), from, to };
    },
    [Symbol.dispose]: () => [...connections.keys()].forEach(hangUp),
  };
}

/**
 * A client library. When a kept-alive connection breaks, it sends the request again on a new one, so that a request may
 * have been delivered even though nobody listens by the time it fails.
 */
export function openLibraryLine(): Line {
  // A service that is started again has another address, and nobody responds at the old one.
  const dead = new Set<string>();
  return {
    mayResend: true,
    async send(url, method, path, { key, headers = {}, body } = {}) {
      const from = performance.now();
      if (dead.has(url)) {
        await Bun.sleep(5);
        return { status: 'refused', from };
      }
      const credential = { Authorization: `Bearer ${key?.key ?? fixedKey}` };
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const request = {
        ...{ method, headers: { ...headers, ...credential, ...type } },
        ...(body !== undefined && { body }),
      };
      const signal = AbortSignal.timeout(patienceMs);
      let response: Response;
      let text: string;
      try {
        response = await fetch(url + path, { ...request, signal });
        // Of a response that breaks off, nothing counts.
        text = await response.clone().text();
      } catch {
        dead.add(url);
        return { status: 'unknown', from };
      }
      const to = performance.now();
      await checkResponse({ method, url: path }, response);
      const { status, headers: sent } = response;
      return status === 503 ? { status: 'unknown', from } : { status, headers: sent, text, from, to };
    },
    [Symbol.dispose]() {},
  };
}

export type PetWithId = Pet & { id: number };

export function readPet(text: string): { id: number; pet: Pet } {
  const { id, ...pet } = JSON.parse(text) as PetWithId;
  return { id, pet };
}

/** Walks through pages from the first; each one is an operation of its own. Ends early when a page does not come. */
export async function walk(
  fetchPage: (query: string) => Promise<Answer | Unknown>,
  query: string,
  pages: number,
  note: (rows: (PetWithId & Order)[], range: Range, answer: Answer) => void,
): Promise<boolean> {
  let after = 0;
  let next = query;
  for (let page = 0; page < pages; page++) {
    const answer = await fetchPage(next);
    if (!('text' in answer)) return false;
    const rows = JSON.parse(answer.text) as (PetWithId & Order)[];
    const link = nextQuery(answer);
    const upTo = link === undefined ? Infinity : (rows.at(-1)?.id ?? after);
    note(rows, { after, upTo }, answer);
    if (link === undefined) return true;
    [after, next] = [upTo, link];
  }
  return true;
}
