import { openCaller, type RawCaller, type RawRequest } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';
import type { History, KeyLife, Pet } from './history.ts';

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

export interface Unknown {
  status: 'unknown' | 'refused';
  from: number;
}

interface LineRequest extends Omit<RawRequest, 'key'> {
  key?: UsedKey | undefined;
}

/** A request takes longer only if several waits of the service add up; its outcome is then unknown. */
const patienceMs = 20_000;

export type Line = ReturnType<typeof openLine>;

/** Sends requests, each once or not at all, and keeps a record of how keys fare. */
export function openLine(history: History) {
  const callers = new Map<string, RawCaller>();
  return {
    /** The answer; `unknown` without a whole one, `refused` if nobody got the request or its key was not accepted. */
    async send(
      url: string,
      method: string,
      path: string,
      { key, ...request }: LineRequest = {},
    ): Promise<Answer | Unknown> {
      const caller = callers.getOrInsertComputed(url, () => openCaller({ url: () => url, patienceMs }));
      const from = performance.now();
      const response = await caller.send(method, path, { ...request, key: key?.key ?? fixedKey });
      const to = performance.now();
      if (response === 'refused') {
        await Bun.sleep(5);
        return { status: 'refused', from };
      }
      if (typeof response === 'string') return { status: 'unknown', from };
      const { status, headers } = response;
      if (status === 503) return { status: 'unknown', from };
      if (key) history.keyUses.push({ key: key.life, from, to, isAccepted: status !== 401 });
      if (key && status === 401) return { status: 'refused', from };
      return { status, headers, text: await response.text(), from, to };
    },
    [Symbol.dispose]: () => callers.forEach((caller) => caller[Symbol.dispose]()),
  };
}

export type PetWithId = Pet & { id: number };

export function readPet(text: string): { id: number; pet: Pet } {
  const { id, ...pet } = JSON.parse(text) as PetWithId;
  return { id, pet };
}
