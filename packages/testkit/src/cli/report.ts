import type { Profile } from '../conform/check.ts';
import type { CheckResult } from '../conform/run.ts';

/** A finished run. */
export interface Report {
  baseUrl: string;
  profile: Profile;
  results: CheckResult[];
  petsCreated: number;
  durationMs: number;
}

export function toJson({ baseUrl, profile, results, petsCreated, durationMs }: Report) {
  const failed = results.filter(({ failure }) => failure).length;
  return {
    url: baseUrl,
    profile,
    passed: results.length - failed,
    failed,
    petsCreated,
    durationMs: Math.round(durationMs),
    checks: results.map(({ check, durationMs: ms, failure }) => ({
      name: check.name,
      profile: check.profile,
      rule: check.rule,
      outcome: failure ? 'failed' : 'passed',
      durationMs: Math.round(ms),
      ...failure,
    })),
  };
}
