import type { Check, Profile } from '../conform/check.ts';
import { findingsOf, type Finding } from '../conform/findings.ts';
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
  const findings = findingsOf(results);
  const causes = causesOf(findings);
  const failed = findings.length + causes.size;
  return {
    url: baseUrl,
    profile,
    passed: results.length - failed,
    failed,
    findings: findings.length,
    petsCreated,
    durationMs: Math.round(durationMs),
    checks: results.map(({ check, durationMs: ms, failure }) => ({
      name: check.name,
      profile: check.profile,
      rule: check.rule,
      outcome: failure ? 'failed' : 'passed',
      durationMs: Math.round(ms),
      ...(failure && { sent: failure.sent, expected: failure.expected, seen: failure.seen }),
      ...(causes.has(check) && { causedBy: causes.get(check)?.name }),
    })),
  };
}

/** Maps each check that failed because of another one to that other check. */
export function causesOf(findings: Finding[]): Map<Check, Check> {
  return new Map(
    findings.flatMap(({ result, followers }) => followers.map(({ check }) => [check, result.check] as const)),
  );
}
