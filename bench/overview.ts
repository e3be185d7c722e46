import { escape, round, shortNumber, svg, toneOf } from './chart.ts';
import type { ContestantEntry, Results } from './results.ts';
import { cellOf, fastest, ratio, spreadOfCell } from './statistics.ts';

/** The chart of the README: who is how fast at the three things that matter most, in one look. */

const columns = [
  { workload: 'list', title: 'List a page' },
  { workload: 'list-random', title: 'List random pages' },
  { workload: 'create', title: 'Create, durable' },
];
const onPostgres = ['petstore-postgres', 'fastify-pg', 'elysia-postgres'];
/** One limit is enough here; the other is in the report. */
const leftOut = [...onPostgres, 'limit-node'];
const notSynced = ['json-server', 'pocketbase'];

const width = 800;
const left = 128;
const columnWidth = (width - left) / columns.length;
const longestBar = columnWidth - 74;
const top = 112;
const rowHeight = 25;

/** Undefined without figures for a list. */
export function drawOverview(results: Results): string | undefined {
  const speed = ({ id }: ContestantEntry, workload: string): number =>
    spreadOfCell(results, cellOf(results, workload, id))?.median ?? 0;
  const rows = results.contestants
    .filter((contestant) => !leftOut.includes(contestant.id) && speed(contestant, 'list') > 0)
    .toSorted((a, b) => speed(b, 'list') - speed(a, 'list'));
  if (rows.length === 0) return undefined;

  const names = rows.map((contestant, index) => {
    const weight = contestant.kind === 'service' ? ' font-weight="700"' : '';
    const name = contestant.kind === 'limit' ? 'bare server' : contestant.name;
    return `<text${weight} text-anchor="end" x="${left - 12}" y="${rowTop(index) + 13}">${escape(name)}</text>`;
  });
  const drawn = columns.flatMap(({ workload, title }, column) => {
    const x = left + column * columnWidth;
    const most = Math.max(...rows.map((contestant) => speed(contestant, workload)));
    if (most === 0) return [];
    const bars = rows.map((contestant, index) => {
      const value = speed(contestant, workload);
      if (value === 0) return '';
      const end = round(x + Math.max(2, (value / most) * longestBar));
      const weight = contestant.kind === 'service' ? ' font-weight="700"' : '';
      const remark =
        workload === 'create' && notSynced.includes(contestant.id)
          ? '<tspan class="quiet" dx="5">not synced</tspan>'
          : '';
      return (
        `<rect class="${toneOf(contestant)}" rx="2" x="${x}" y="${rowTop(index)}" width="${round(end - x)}" height="17"/>` +
        `<text${weight} x="${end + 6}" y="${rowTop(index) + 13}">${shortNumber(value)}${remark}</text>`
      );
    });
    return [
      `<text font-size="14" font-weight="600" x="${x}" y="78">${escape(title)}</text>`,
      `<text class="quiet" x="${x}" y="97">${escape(comparison(results, workload))}</text>`,
    ].concat(bars);
  });
  const { method } = results;
  const bottom = rowTop(rows.length) + 24;
  const how = `Median of ${method.rounds} rounds, ${shortNumber(method.pets)} pets in SQLite, one core, ${method.connections} connections. Bare server: the same bytes from memory, the limit.`;
  const note = `<text class="quiet" x="16" y="${bottom}">${escape(how)}</text>`;
  return svg({
    title: 'Requests a second, more is better',
    width,
    height: bottom + 18,
    parts: [...names, ...drawn, note],
  });
}

function rowTop(index: number): number {
  return top + index * rowHeight;
}

function comparison(results: Results, workload: string): string {
  const peers = results.contestants.filter(
    ({ id, kind }) => (kind === 'peer' || kind === 'ready-made') && !onPostgres.includes(id),
  );
  const best = fastest(
    results,
    workload,
    peers.map(({ id }) => id),
  );
  const spread =
    best === undefined
      ? undefined
      : ratio(results, cellOf(results, workload, 'petstore'), cellOf(results, workload, best));
  return spread ? `${Number(spread.median.toPrecision(3))}× the fastest peer` : '';
}
