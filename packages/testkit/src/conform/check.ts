import type { Api } from './api.ts';

/** `contract` is what every implementation owes; `strict` adds Petstore's decisions where the contract is silent. */
export const profiles = ['contract', 'strict'] as const;
export type Profile = (typeof profiles)[number];

export interface Check {
  /** Such as `limits/default`. */
  name: string;
  /** What an implementation owes, as a sentence. */
  rule: string;
  profile: Profile;
  /** Throws a {@link Mismatch} if the service breaks the rule. */
  run(api: Api): Promise<void>;
}

/** Such as `limits`. */
export function subjectOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

export type Entry = [name: string, rule: string, run: (api: Api) => Promise<void>];

/** The checks of one subject. */
export function checksOf(profile: Profile, subject: string, entries: Entry[]): Check[] {
  return entries.map(([name, rule, run]) => ({ name: `${subject}/${name}`, rule, profile, run }));
}
