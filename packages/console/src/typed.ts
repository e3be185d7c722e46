import type { Draft } from './draft.ts';
import { attempt } from './session.ts';

/** What was typed into a form and not saved. */
export interface Typed {
  /** The values before somebody typed. */
  base: Draft;
  draft: Draft;
  /** Set once it was sent. */
  idempotencyKey?: string;
}

const prefix = 'petstore-draft-';

/** What was typed survives a reload and another sign-in in this tab. */
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
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  });
}
