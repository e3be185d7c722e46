import parse from 'parse-prometheus-text-format';
import type { Registry } from '../../../src/metrics/registry.ts';
import { renderMetrics } from '../../../src/metrics/render.ts';

/** Metrics as a parser that is not ours reads them. */
export interface Scrape {
  text: string;
  /** The names of all samples: of a histogram `…_bucket`, `…_sum` and `…_count`. */
  names: string[];
  /** The sum over all samples that have these labels. */
  value(name: string, labels?: Record<string, string>): number;
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`The scrape got ${response.status}.`);
  return readScrape(await response.text());
}

/** What a scrape of this registry would give. */
export async function scrapeRegistry(registry: Registry): Promise<Scrape> {
  return readScrape(renderMetrics(await registry.collect()));
}

export function readScrape(text: string): Scrape {
  // The parser mixes up histograms that differ in labels. Without their types, it reads each line as it stands.
  const families = parse(text.replaceAll(/^# TYPE \S+ histogram\n/gm, ''));
  const samplesOf = (name: string, labels: Record<string, string>) =>
    families
      .filter((family) => family.name === name)
      .flatMap(({ metrics }) => metrics)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value));
  return {
    text,
    names: families.filter(({ metrics }) => metrics.length > 0).map(({ name }) => name),
    value: (name, labels = {}) => samplesOf(name, labels).reduce((sum, { value }) => sum + Number(value), 0),
  };
}

/** The address of the metrics of a service that was started with `--metrics-port 0`. */
export async function metricsUrl(service: {
  untilLogged(pattern: RegExp): Promise<RegExpExecArray>;
}): Promise<string> {
  const [, url = ''] = await service.untilLogged(/"message":"metrics","address":"([^"]+)"/);
  return url;
}
