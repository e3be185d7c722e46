import { barChart, lineChart, toneOf, type Bar, type BarPanel, type Line } from './chart.ts';
import { drawOverview } from './overview.ts';
import type { Results } from './results.ts';
import { cellOf, latencySpread, spreadOfCell, type Spread } from './statistics.ts';

const shownWorkloads = ['list', 'list-random', 'create'];
/** Lines that lie on one another say nothing; the table has all. */
const sizedWorkloads = ['list', 'list-random', 'get', 'create'];
const latencyWorkloads = ['list', 'slow-disk-busy', 'create'];

/** Every chart that the results have figures for, by file name. */
export function drawCharts(results: Results): Record<string, string> {
  const throughput = panels(results, shownWorkloads, 'requests a second', (id, workload) =>
    spreadOfCell(results, cellOf(results, workload, id)),
  );
  const latency = panels(
    results,
    latencyWorkloads,
    'p99 in milliseconds, at one rate; less is better',
    (id, workload) => latencySpread(results, cellOf(results, workload, id), ({ p99Ms }) => p99Ms),
  );
  const sizes = linesBySize(results);
  const overview = drawOverview(results);
  return {
    ...(overview !== undefined && { 'overview.svg': overview }),
    ...(throughput.length > 0 && { 'throughput.svg': barChart('Throughput, more is better', throughput) }),
    ...(latency.length > 0 && { 'latency.svg': barChart('The slowest of a hundred', latency) }),
    ...(sizes.length > 0 && {
      'sizes.svg': lineChart(
        'Throughput by number of pets',
        { x: 'pets in the store', y: 'requests a second' },
        sizes,
      ),
    }),
  };
}

function panels(
  { contestants, workloads }: Results,
  shown: readonly string[],
  axis: string,
  spreadOf: (id: string, workload: string) => Spread | undefined,
): BarPanel[] {
  return workloads
    .filter(({ id }) => shown.includes(id))
    .map(({ id: workload, title }) => ({
      title,
      axis,
      bars: contestants.flatMap((contestant): Bar[] => {
        const spread = spreadOf(contestant.id, workload);
        if (!spread) return [];
        const { median: value, lowest, highest } = spread;
        return [{ label: contestant.name, value, lowest, highest, tone: toneOf(contestant) }];
      }),
    }))
    .filter(({ bars }) => bars.length > 0);
}

/** A chart over sizes needs two of them. */
function linesBySize(results: Results): Line[] {
  const sizes = [...new Set(results.samples.map(({ pets }) => pets))].toSorted((a, b) => a - b);
  return results.workloads
    .filter(({ id }) => sizedWorkloads.includes(id))
    .map(({ id, title }) => ({
      label: title,
      points: sizes.flatMap((pets) => {
        const spread = spreadOfCell(results, cellOf(results, id, 'petstore', { pets }));
        return spread ? [{ x: pets, y: spread.median }] : [];
      }),
    }))
    .filter(({ points }) => points.length > 1);
}
