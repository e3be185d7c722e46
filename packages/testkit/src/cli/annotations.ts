import { findingsOf } from '../conform/findings.ts';
import type { Report } from './report.ts';
import { renderFinding } from './table.ts';

/** An error for each finding, as a GitHub workflow shows it beside its log. */
export function renderAnnotations({ results }: Report): string {
  return findingsOf(results)
    .map((finding) => {
      const title = escape(`petstore-conform ${finding.result.check.name}`).replaceAll(',', '%2C');
      return `::error title=${title}::${escape(renderFinding(finding).trimEnd())}\n`;
    })
    .join('');
}

function escape(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
