import type { CheckResult } from '../conform/run.ts';
import { countOf, renderTable, visible } from './print.ts';
import type { Report } from './report.ts';

/** A row for each check, the details of each failure, and a line that sums it up. */
export function renderReport({ baseUrl, profile, results, petsCreated, durationMs }: Report): string {
  const rows = results.map(({ check, failure }) => [failure ? 'FAIL' : 'pass', check.name, check.rule]);
  const failures = results.filter(({ failure }) => failure);
  const checks = `${countOf(results.length, 'check')} of the ${profile} profile on ${visible(baseUrl)}`;
  const outcome = failures.length === 0 ? 'all passed' : `${failures.length} failed`;
  const cost = `${countOf(petsCreated, 'pet')} created in ${(durationMs / 1000).toFixed(1)} s`;
  return [
    renderTable([['RESULT', 'CHECK', 'RULE'], ...rows]),
    ...failures.map(renderFailure),
    `${checks}: ${outcome}; ${cost}.\n`,
  ].join('\n');
}

/** What was sent, expected and seen. */
export function renderFailure({ check, failure }: CheckResult): string {
  const { sent = '', expected = '', seen = '' } = failure ?? {};
  return [
    `${check.name}: ${check.rule}`,
    `  sent      ${visible(sent)}`,
    `  expected  ${visible(expected)}`,
    `  seen      ${visible(seen)}`,
    '',
  ].join('\n');
}
