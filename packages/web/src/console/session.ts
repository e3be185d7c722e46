import type { Draft } from './draft.ts';

/** Keeps the API key for this tab, or for this browser if the person wants that. Never in the address. */

const name = 'petstore-api-key';

export function readKey(): string | undefined {
  return tryStorage(() => sessionStorage.getItem(name) || localStorage.getItem(name)) || undefined;
}

export function keepKey(key: string, isRemembered: boolean): void {
  forgetKey();
  tryStorage(() => (isRemembered ? localStorage : sessionStorage).setItem(name, key));
}

/** Sets the key of this tab only, or removes it. A key that the browser remembers stays. */
export function keepKeyForTab(key: string): void {
  tryStorage(() => (key === '' ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, key)));
}

/** Forgets this key wherever it is kept; without an argument, any key. */
export function forgetKey(key?: string): void {
  tryStorage(() => {
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
  /** Set once it was sent: sending it again after a lost response adds no second pet. */
  idempotencyKey?: string;
}

const prefix = 'petstore-draft-';

/** Unsaved text survives a reload and another sign-in in this tab. */
export function readUnsaved(form: string): Typed | undefined {
  const kept = tryStorage(() => sessionStorage.getItem(prefix + form));
  return kept ? (JSON.parse(kept) as Typed) : undefined;
}

export function keepUnsaved(form: string, typed: Typed | undefined): void {
  tryStorage(() =>
    typed
      ? sessionStorage.setItem(prefix + form, JSON.stringify(typed))
      : sessionStorage.removeItem(prefix + form),
  );
}

export function forgetUnsaved(): void {
  tryStorage(() => {
    for (const kept of Object.keys(sessionStorage))
      if (kept.startsWith(prefix)) sessionStorage.removeItem(kept);
  });
}

/** A browser may refuse storage; then nothing outlives the document. */
export function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
