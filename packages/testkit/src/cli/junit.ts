import { subjectOf, type Check } from '../conform/check.ts';
import { findingsOf } from '../conform/findings.ts';
import type { CheckResult } from '../conform/run.ts';
import { causesOf, type Report } from './report.ts';

/** The results as JUnit XML: one suite per subject, one case per check. */
export function renderJUnit({ results, durationMs }: Report): string {
  const causes = causesOf(findingsOf(results));
  const subjects = Object.entries(Object.groupBy(results, ({ check }) => subjectOf(check.name)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="petstore-conform" ${countsOf(results)} time="${secondsOf(durationMs)}">`,
    ...subjects.map(([subject, ofSubject = []]) => renderSuite(subject, ofSubject, causes)),
    '</testsuites>\n',
  ].join('\n');
}

function renderSuite(subject: string, results: CheckResult[], causes: Map<Check, Check>): string {
  const time = secondsOf(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const start = `  <testsuite name="${escape(subject)}" ${countsOf(results)} time="${time}">`;
  return [
    start,
    ...results.map((result) => renderCase(result, causes.get(result.check))),
    '  </testsuite>',
  ].join('\n');
}

function renderCase({ check, durationMs, failure }: CheckResult, cause?: Check): string {
  const name = `${check.name}: ${check.rule}`;
  const start = `    <testcase classname="petstore.${check.profile}.${escape(subjectOf(check.name))}" name="${escape(name)}" time="${secondsOf(durationMs)}"`;
  if (!failure) return `${start}/>`;
  const { sent, expected, seen } = failure;
  const details = escape(`sent: ${sent}\nexpected: ${expected}\nseen: ${seen}`);
  const message = escape(`expected ${expected}${cause ? `; follows from ${cause.name}` : ''}`);
  return `${start}>\n      <failure message="${message}">${details}</failure>\n    </testcase>`;
}

function countsOf(results: CheckResult[]): string {
  return `tests="${results.length}" failures="${results.filter(({ failure }) => failure).length}" errors="0"`;
}

function secondsOf(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** XML 1.0 cannot express these characters, not even as references. */
const unwritable = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function escape(text: string): string {
  return text.replace(unwritable, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
