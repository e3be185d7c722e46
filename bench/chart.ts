/** Small SVG charts. They carry their own background and follow the reader's light or dark setting. */

import type { ContestantEntry } from './results.ts';

export interface Bar {
  label: string;
  value: number;
  lowest: number;
  highest: number;
  tone: Tone;
}

/** Ours, the limit, or somebody else's. */
export type Tone = 'own' | 'limit' | 'other';

export interface BarPanel {
  title: string;
  /** What the axis shows, with its unit. */
  axis: string;
  bars: Bar[];
}

const style = `<style>
  svg { font: 12.5px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }
  .ground { fill: #ffffff; stroke: #d1d9e0; } text { fill: #1f2328; } .quiet { fill: #59636e; }
  .grid { stroke: #d1d9e0; } .spread { stroke: #1f2328; }
  .own { fill: #0a7d55; stroke: #0a7d55; } .limit { fill: #8c959f; stroke: #8c959f; } .other { fill: #4a7fc1; stroke: #4a7fc1; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d; } text { fill: #f0f6fc; } .quiet { fill: #9198a1; }
    .grid { stroke: #3d444d; } .spread { stroke: #f0f6fc; }
    .own { fill: #3fb98a; stroke: #3fb98a; } .limit { fill: #656c76; stroke: #656c76; } .other { fill: #6ea3e0; stroke: #6ea3e0; }
  }
</style>`;

const width = 760;
const left = 170;
const right = 90;
const rowHeight = 22;

/** Horizontal bars: the median of the rounds, with a line from the lowest to the highest. */
export function barChart(title: string, panels: readonly BarPanel[]): string {
  let top = 60;
  const parts = panels.map((panel) => {
    const height = panel.bars.length * rowHeight + 62;
    const part = `<g transform="translate(0 ${top})">${barPanel(panel)}</g>`;
    top += height;
    return part;
  });
  return svg({ title, height: top, parts });
}

function barPanel({ title, axis, bars }: BarPanel): string {
  const ticks = niceTicks(Math.max(...bars.map(({ highest }) => highest)));
  const x = (value: number): number => round(left + (value / ticks.at(-1)!) * (width - left - right));
  const bottom = bars.length * rowHeight + 12;
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="10" y2="${bottom}"/>` +
      `<text class="quiet" text-anchor="middle" x="${x(tick)}" y="${bottom + 15}">${shortNumber(tick)}</text>`,
  );
  const rows = bars.map(({ label, value, lowest, highest, tone }, index) => {
    const y = 14 + index * rowHeight;
    return (
      `<text text-anchor="end" x="${left - 8}" y="${y + 12}">${escape(label)}</text>` +
      `<rect class="${tone}" x="${left}" y="${y}" width="${round(x(value) - left)}" height="15"/>` +
      `<line class="spread" x1="${x(lowest)}" x2="${x(highest)}" y1="${y + 7.5}" y2="${y + 7.5}"/>` +
      `<text x="${x(highest) + 6}" y="${y + 12}">${shortNumber(value)}</text>`
    );
  });
  const names =
    `<text font-weight="600" x="16" y="2">${escape(title)}</text>` +
    `<text class="quiet" text-anchor="end" x="${width - 16}" y="2">${escape(axis)}</text>`;
  return [names, ...grid, ...rows].join('');
}

export interface Line {
  label: string;
  points: { x: number; y: number }[];
}

/** Lines over powers of ten. */
export function lineChart(title: string, axes: { x: string; y: string }, lines: readonly Line[]): string {
  const height = 340;
  const points = lines.flatMap((line) => line.points);
  const powers = points.map((point) => Math.log10(point.x));
  const [first, last] = [Math.min(...powers), Math.max(...powers)];
  const ticks = niceTicks(Math.max(...points.map((point) => point.y)));
  const [plotLeft, plotRight, top, bottom] = [64, width - 190, 72, height - 46];
  const x = (value: number): number =>
    round(plotLeft + ((Math.log10(value) - first) / Math.max(1, last - first)) * (plotRight - plotLeft));
  const y = (value: number): number => round(bottom - (value / ticks.at(-1)!) * (bottom - top));
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${plotLeft}" x2="${plotRight}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      `<text class="quiet" text-anchor="end" x="${plotLeft - 6}" y="${y(tick) + 4}">${shortNumber(tick)}</text>`,
  );
  const sizes = [...new Set(points.map((point) => point.x))].map(
    (size) =>
      `<text class="quiet" text-anchor="middle" x="${x(size)}" y="${bottom + 18}">${shortNumber(size)}</text>`,
  );
  const labels = spreadOut(lines.map(({ points: own }) => y(own.at(-1)?.y ?? 0)));
  const drawn = lines.map(({ label, points: own }, index) => {
    const path = own.map((point) => `${x(point.x)},${y(point.y)}`).join(' ');
    const dots = own
      .map((point) => `<circle class="own" r="3" cx="${x(point.x)}" cy="${y(point.y)}"/>`)
      .join('');
    return (
      `<polyline class="own" fill="none" style="fill:none" stroke-width="1.5" points="${path}"/>${dots}` +
      `<text x="${plotRight + 12}" y="${labels[index]! + 4}">${escape(label)}</text>`
    );
  });
  const names =
    `<text class="quiet" x="16" y="56">${escape(axes.y)}</text>` +
    `<text class="quiet" text-anchor="middle" x="${(plotLeft + plotRight) / 2}" y="${height - 10}">${escape(axes.x)}</text>`;
  return svg({ title, height, parts: [names, ...grid, ...sizes, ...drawn] });
}

export interface Drawing {
  title: string;
  width?: number;
  height: number;
  parts: string[];
}

export function svg({ title, width: drawnWidth = width, height, parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${drawnWidth} ${height}" width="${drawnWidth}" height="${height}" role="img" aria-label="${escape(title)}">
${style}
<rect class="ground" x="0.5" y="0.5" rx="6" width="${drawnWidth - 1}" height="${height - 1}"/>
<text font-size="16" font-weight="600" x="16" y="30">${escape(title)}</text>
${parts.join('\n')}
</svg>
`;
}

/** From 0 to a round number at or past the largest value. */
function niceTicks(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!;
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) => index * step);
}

/** Moves labels apart that would lie on one another, keeping their order. */
function spreadOut(positions: number[]): number[] {
  const order = positions.map((_, index) => index).toSorted((a, b) => positions[a]! - positions[b]!);
  const moved = [...positions];
  order.slice(1).forEach((index, place) => {
    moved[index] = Math.max(moved[index]!, moved[order[place]!]! + 15);
  });
  return moved;
}

export function toneOf({ kind }: ContestantEntry): Tone {
  if (kind === 'service') return 'own';
  return kind === 'limit' ? 'limit' : 'other';
}

export function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1000) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
