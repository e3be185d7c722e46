/** Where the API key stays between two looks at the page: for this tab, or for this browser when asked to. Never in the address. */

const name = 'petstore-api-key';

export function readKey(): string | undefined {
  return attempt(() => sessionStorage.getItem(name) || localStorage.getItem(name)) || undefined;
}

export function keepKey(key: string, isRemembered: boolean): void {
  forgetKey();
  attempt(() => (isRemembered ? localStorage : sessionStorage).setItem(name, key));
}

/** Another key for this tab alone, or none of its own; a key that the browser remembers stays. */
export function keepKeyForTab(key: string): void {
  attempt(() => (key === '' ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, key)));
}

/** Forgets this key, wherever it is kept, or any key when none is named. */
export function forgetKey(key?: string): void {
  attempt(() => {
    for (const storage of [sessionStorage, localStorage]) {
      if (key === undefined || storage.getItem(name) === key) storage.removeItem(name);
    }
  });
}

/** A browser may refuse storage altogether; then the key lives as long as the page. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
