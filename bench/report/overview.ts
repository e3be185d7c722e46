import { contestantOf, embeddedPeers, isOnPostgres } from '../contestants/contestants.ts';
import type { ContestantEntry, Results } from './results.ts';
import { cellOf, fastest, ratio, rounded, shortNumber, spreadOfCell } from './statistics.ts';

/** The chart of the README: how fast everybody is at the three things that matter most. */
const columns = [
  { workload: 'list', title: 'List a page' },
  { workload: 'list-random', title: 'List random pages' },
  { workload: 'create', title: 'Create, durable' },
];
const [width, left, top, rowHeight] = [800, 128, 112, 25];
const columnWidth = (width - left) / columns.length;
const longestBar = columnWidth - 74;
const mainTitle = 'Requests a second, more is better';

/** Follows the reader's light or dark setting. */
const style = `<style>
  svg { font: 12.5px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }
  .ground { fill: #ffffff; stroke: #d1d9e0; } text { fill: #1f2328; } .quiet { fill: #59636e; }
  .service { fill: #0a7d55; } .limit { fill: #8c959f; } .peer { fill: #4a7fc1; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d; } text { fill: #f0f6fc; } .quiet { fill: #9198a1; }
    .service { fill: #3fb98a; } .limit { fill: #656c76; } .peer { fill: #6ea3e0; }
  }
</style>`;

export function drawOverview(results: Results): string {
  const { method, contestants } = results;
  const speed = ({ id }: ContestantEntry, workload: string): number =>
    spreadOfCell(results, cellOf(results, workload, id))?.median ?? 0;
  const isShown = ({ id, kind }: ContestantEntry) =>
    !isOnPostgres(contestantOf(id)) && (kind !== 'limit' || id === 'limit-bun');
  const rows = contestants
    .filter((own) => isShown(own) && speed(own, 'list') > 0)
    .toSorted((a, b) => speed(b, 'list') - speed(a, 'list'));
  const names = rows.map((own, index) => {
    const name = own.kind === 'limit' ? 'bare server' : own.name;
    return `<text${weightOf(own)} text-anchor="end" x="${left - 12}" y="${rowTop(index) + 13}">${name}</text>`;
  });
  const bars = columns.flatMap(({ workload, title }, column) => {
    const x = left + column * columnWidth;
    const most = Math.max(...rows.map((own) => speed(own, workload)));
    const drawn = rows.map((own, index) => {
      const value = speed(own, workload);
      if (value === 0) return '';
      const end = round(x + Math.max(2, (value / most) * longestBar));
      return (
        `<rect class="${own.kind}" rx="2" x="${x}" y="${rowTop(index)}" width="${round(end - x)}" height="17"/>` +
        `<text${weightOf(own)} x="${end + 6}" y="${rowTop(index) + 13}">${shortNumber(value)}</text>`
      );
    });
    const heading = `<text font-size="14" font-weight="600" x="${x}" y="78">${title}</text>`;
    const remark = `<text class="quiet" x="${x}" y="97">${comparison(results, workload)}</text>`;
    return [heading, remark].concat(drawn);
  });
  const bottom = rowTop(rows.length) + 24;
  const height = bottom + 18;
  const how = `Median of ${method.rounds} rounds, ${shortNumber(method.pets)} pets in SQLite, one core, ${method.connections} connections. Bare server: the same bytes from memory, the limit.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${mainTitle}">
${style}
<rect class="ground" x="0.5" y="0.5" rx="6" width="${width - 1}" height="${height - 1}"/>
<text font-size="16" font-weight="600" x="16" y="30">${mainTitle}</text>
${[...names, ...bars].join('\n')}
<text class="quiet" x="16" y="${bottom}">${how}</text>
</svg>
`;
}

function comparison(results: Results, workload: string): string {
  const best = cellOf(results, workload, fastest(results, workload, embeddedPeers) ?? '');
  const spread = ratio(results, { ...best, contestant: 'petstore' }, best);
  return spread ? `${rounded(spread.median)}× the fastest peer` : '';
}

const rowTop = (index: number): number => top + index * rowHeight;
const weightOf = ({ kind }: ContestantEntry): string => (kind === 'service' ? ' font-weight="700"' : '');
const round = (value: number): number => Math.round(value * 10) / 10;
