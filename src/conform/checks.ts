import type { Check, Profile } from './check.ts';
import { authenticationChecks } from './contract/authentication.ts';
import { createChecks, invalidCreateChecks } from './contract/create.ts';
import { deprecationChecks } from './contract/deprecation.ts';
import { errorChecks } from './contract/errors.ts';
import { filterChecks } from './contract/filter.ts';
import { getChecks } from './contract/get.ts';
import { int64Checks } from './contract/int64.ts';
import { limitChecks } from './contract/limits.ts';
import { listChecks } from './contract/list.ts';
import { readChecks } from './contract/reads.ts';

/** Every row of the contract. */
const contractChecks: Check[] = [
  ...listChecks,
  ...limitChecks,
  ...filterChecks,
  ...createChecks,
  ...invalidCreateChecks,
  ...getChecks,
  ...deprecationChecks,
  ...int64Checks,
  ...errorChecks,
  ...authenticationChecks,
  ...readChecks,
];

const strictChecks: Check[] = [];

/** The checks of a profile; `strict` includes the contract. */
export function checksFor(profile: Profile): Check[] {
  return profile === 'strict' ? [...contractChecks, ...strictChecks] : contractChecks;
}
