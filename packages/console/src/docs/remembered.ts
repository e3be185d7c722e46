/** Remembers a choice in this browser. A browser may refuse storage; then the choice lasts until the next reload. */

export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(`petstore-docs-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`petstore-docs-${name}`, value);
  } catch {
    // The choice still holds for this visit.
  }
}
