import type { Draft } from './draft.ts';

/** Keeps the API key for this tab, or for this browser if the person wants that. Never in the address. */

const name = 'petstore-api-key';

export function readKey(): string | undefined {
  return attempt(() => sessionStorage.getItem(name) || localStorage.getItem(name)) || undefined;
}

export function keepKey(key: string, isRemembered: boolean): void {
  forgetKey();
  attempt(() => (isRemembered ? localStorage : sessionStorage).setItem(name, key));
}

/** Sets the key of this tab only, or removes it. A key that the browser remembers stays. */
export function keepKeyForTab(key: string): void {
  attempt(() => (key === '' ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, key)));
}

/** Forgets this key wherever it is kept; without an argument, any key. */
export function forgetKey(key?: string): void {
  attempt(() => {
    for (const storage of [sessionStorage, localStorage]) {
      if (key === undefined || storage.getItem(name) === key) storage.removeItem(name);
    }
  });
}

/** Text that was typed into a form but not saved. */
export interface Typed {
  /** The values before somebody typed. */
  base: Draft;
  draft: Draft;
  /** Set once it was sent. */
  idempotencyKey?: string;
}

const prefix = 'petstore-draft-';

/** Typed text survives a reload and another sign-in in this tab. */
export function readTyped(form: string): Typed | undefined {
  const kept = attempt(() => sessionStorage.getItem(prefix + form));
  return kept ? (JSON.parse(kept) as Typed) : undefined;
}

export function keepTyped(form: string, typed: Typed | undefined): void {
  attempt(() => {
    if (typed) sessionStorage.setItem(prefix + form, JSON.stringify(typed));
    else sessionStorage.removeItem(prefix + form);
  });
}

export function forgetTyped(): void {
  attempt(() => {
    for (const kept of Object.keys(sessionStorage))
      if (kept.startsWith(prefix)) sessionStorage.removeItem(kept);
  });
}

/** A browser may refuse storage; then the values live until the document is closed. */
export function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
