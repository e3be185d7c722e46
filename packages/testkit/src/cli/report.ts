import { subjectOf, type Check, type Profile } from '../conform/check.ts';
import { findingsOf, type Finding } from '../conform/findings.ts';
import { createReason } from '../conform/mismatch.ts';
import type { CheckResult } from '../conform/run.ts';
import { countOf, renderTable, visible } from './print.ts';

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

/** JUnit's XML, as build servers read it: a test case for each check, in a class for each subject. */
export function renderJunit({ profile, results, durationMs }: Report): string {
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const cases = results.map(({ check: { name, rule }, durationMs: ms, failure }) => {
    const text =
      failure && `sent      ${failure.sent}\nexpected  ${failure.expected}\nseen      ${failure.seen}`;
    const start = `    <testcase classname="${subjectOf(name)}" name="${xml(`${name}: ${rule}`)}" time="${seconds(ms)}"`;
    return text
      ? `${start}>\n      <failure message="${xml(rule)}">${xml(text)}</failure>\n    </testcase>`
      : `${start}/>`;
  });
  const failures = results.filter(({ failure }) => failure).length;
  const counts = `tests="${results.length}" failures="${failures}" time="${seconds(durationMs)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="petstore-conform ${profile}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** XML cannot hold most control characters, even escaped, and no lone surrogates. */
function xml(text: string): string {
  const lines = text.toWellFormed().split('\n').map(visible).join('\n');
  const characters = lines.replace(/[\ufffe\uffff]/g, '\ufffd');
  return characters.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A row for each check, the details of each finding, and a summary. */
export function renderReport({ baseUrl, profile, results, petsCreated, durationMs }: Report): string {
  const findings = findingsOf(results);
  const causes = causesOf(findings);
  const rows = results.map(({ check, failure }) => {
    return [failure ? (causes.has(check) ? 'follows' : 'FAIL') : 'pass', check.name, check.rule];
  });
  const failed = findings.length + causes.size;
  const checks = `${countOf(results.length, 'check')} of the ${profile} profile on ${visible(baseUrl)}`;
  const outcome = failed === 0 ? 'all passed' : `${failed} failed, ${countOf(findings.length, 'finding')}`;
  const cost = `${countOf(petsCreated, 'pet')} created in ${(durationMs / 1000).toFixed(1)} s`;
  return [
    renderTable([['RESULT', 'CHECK', 'RULE'], ...rows]),
    ...findings.map(renderFinding),
    ...(results.some(({ failure }) => failure?.reason === createReason(400))
      ? ['The service refuses ordinary pets. If only some categories exist, choose one with --category-id.\n']
      : []),
    `${checks}: ${outcome}; ${cost}.\n`,
  ].join('\n');
}

/** What was sent, expected and received, and which other checks failed for this reason. */
function renderFinding({ result: { check, failure }, followers }: Finding): string {
  const { sent = '', expected = '', seen = '' } = failure ?? {};
  return [
    `${check.name}: ${check.rule}`,
    `  sent      ${visible(sent)}`,
    `  expected  ${visible(expected)}`,
    `  seen      ${visible(seen)}`,
    ...(followers.length > 0 ? [`  ${countOf(followers.length, 'more check')} failed because of this.`] : []),
    '',
  ].join('\n');
}

/** Maps each check that failed because of another one to that other check. */
function causesOf(findings: Finding[]): Map<Check, Check> {
  return new Map(
    findings.flatMap(({ result, followers }) => followers.map(({ check }) => [check, result.check] as const)),
  );
}
