import { findingsOf, type Finding } from '../conform/findings.ts';
import { createReason } from '../conform/mismatch.ts';
import { countOf, renderTable, visible } from './print.ts';
import type { Report } from './report.ts';

/** A row for each check, the details of each finding, and a summary. */
export function renderReport({ baseUrl, profile, results, petsCreated, durationMs }: Report): string {
  const findings = findingsOf(results);
  const following = new Set(findings.flatMap(({ followers }) => followers));
  const rows = results.map((result) => {
    const { check, failure } = result;
    return [failure ? (following.has(result) ? 'follows' : 'FAIL') : 'pass', check.name, check.rule];
  });
  const failed = findings.length + following.size;
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
    ...followers
      .slice(0, 1)
      .map(() => `  ${countOf(followers.length, 'more check')} failed because of this.`),
    '',
  ].join('\n');
}
