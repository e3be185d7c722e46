import type { Typed } from './draft.ts';

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

const prefix = 'petstore-draft-';
const unsaved = new Map<string, string>();

/** What is not saved survives a reload and another sign-in in this tab. */
export function readUnsaved(form: string): unknown {
  const kept = tryStorage(() => sessionStorage.getItem(prefix + form)) ?? unsaved.get(form);
  return kept === undefined ? undefined : JSON.parse(kept, revive);
}

export function keepUnsaved(form: string, value: object | undefined): void {
  const text = JSON.stringify(value, render) as string | undefined;
  if (text === undefined) unsaved.delete(form);
  else unsaved.set(form, text);
  tryStorage(() =>
    text === undefined
      ? sessionStorage.removeItem(prefix + form)
      : sessionStorage.setItem(prefix + form, text),
  );
}

// JSON has no integers of 64 bits.
const render = (_: string, value: unknown) =>
  typeof value === 'bigint' ? { bigint: value.toString() } : value;
const revive = (_: string, value: unknown) =>
  value instanceof Object && 'bigint' in value ? BigInt(String(value.bigint)) : value;

/** The draft of a pet, or of the new one. */
export function readTyped(id: bigint | undefined): Typed | undefined {
  return readUnsaved(formOf(id)) as Typed | undefined;
}

export function keepTyped(id: bigint | undefined, typed: Typed | undefined): void {
  keepUnsaved(formOf(id), typed);
}

const formOf = (id: bigint | undefined) => (id === undefined ? 'add' : `pet-${id}`);

export function forgetUnsaved(): void {
  unsaved.clear();
  tryStorage(() => {
    for (const kept of Object.keys(sessionStorage))
      if (kept.startsWith(prefix)) sessionStorage.removeItem(kept);
  });
}

/** A browser may refuse storage; then the values live until the document is closed. */
export function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
