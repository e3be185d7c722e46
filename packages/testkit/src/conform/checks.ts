import { subjectOf, type Check, type Profile } from './check.ts';
import { agreementChecks } from './contract/agreement.ts';
import { authenticationChecks } from './contract/authentication.ts';
import { createChecks, invalidCreateChecks } from './contract/create.ts';
import { deprecationChecks } from './contract/deprecation.ts';
import { filterChecks } from './contract/filter.ts';
import { getChecks } from './contract/get.ts';
import { int64Checks } from './contract/int64.ts';
import { limitChecks } from './contract/limits.ts';
import { listChecks } from './contract/list.ts';
import { bodyChecks } from './strict/bodies.ts';
import { categoryChecks } from './strict/categories.ts';
import { credentialChecks } from './strict/credentials.ts';
import { cursorChecks } from './strict/lists/cursors.ts';
import { announcementChecks } from './strict/deprecation.ts';
import { etagChecks } from './strict/etag.ts';
import { eventChecks } from './strict/events.ts';
import { fieldChecks } from './strict/fields.ts';
import { idempotencyChecks } from './strict/idempotency.ts';
import { methodChecks } from './strict/methods.ts';
import { precedenceChecks } from './strict/precedence.ts';
import { pageChecks } from './strict/lists/pages.ts';
import { parameterChecks } from './strict/lists/parameters.ts';
import { pathChecks } from './strict/paths.ts';
import { requestIdChecks } from './strict/request-id.ts';
import { responseChecks } from './strict/responses.ts';
import { searchChecks } from './strict/lists/search.ts';

/** One check or more for every row of the contract. */
const contractChecks: Check[] = [
  ...listChecks,
  // Run these early, while the lists are short: a list of 100 pets may hide what was added.
  ...agreementChecks,
  ...limitChecks,
  ...filterChecks,
  ...createChecks,
  ...invalidCreateChecks,
  ...getChecks,
  ...deprecationChecks,
  ...int64Checks,
  ...authenticationChecks,
];

/** The rules that `openapi.yaml` adds where the contract is silent. */
const strictChecks: Check[] = [
  ...pathChecks,
  ...methodChecks,
  ...precedenceChecks,
  ...parameterChecks,
  ...bodyChecks,
  ...fieldChecks,
  ...pageChecks,
  ...cursorChecks,
  ...responseChecks,
  ...etagChecks,
  ...announcementChecks,
  ...idempotencyChecks,
  ...credentialChecks,
  ...requestIdChecks,
  ...searchChecks,
  ...eventChecks,
  ...categoryChecks,
];

/** The checks of a profile, optionally limited to subjects or names. `strict` includes the contract. */
export function checksFor(profile: Profile, only?: string[]): Check[] {
  const checks = profile === 'strict' ? [...contractChecks, ...strictChecks] : contractChecks;
  return only ? checks.filter(({ name }) => only.includes(name) || only.includes(subjectOf(name))) : checks;
}
