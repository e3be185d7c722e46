import type { Family, Labels, Sample } from './registry.ts';

export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8';

/** Renders Prometheus' text format, version 0.0.4. */
export function renderMetrics(families: Family[]): string {
  return families.flatMap(renderFamily).join('');
}

function renderFamily(family: Family): string[] {
  const { name, help, kind, samples } = family;
  return [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
    `# TYPE ${name} ${kind}\n`,
    ...samples.flatMap((sample) =>
      kind === 'histogram' ? renderHistogram(family, sample) : [line(name, sample.labels, sample.values[0])],
    ),
  ];
}

/** The text counts each bucket together with all below it. */
function renderHistogram({ name, bounds }: Family, { labels, values }: Sample): string[] {
  let count = 0;
  const buckets = [...bounds, Infinity].map((bound, index) => {
    count += values[index] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: numberText(bound) }, count);
  });
  return [...buckets, line(`${name}_sum`, labels, values.at(-1)), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels, value = NaN): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
