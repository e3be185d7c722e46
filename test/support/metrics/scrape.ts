import parse from 'parse-prometheus-text-format';
import type { Registry } from '../../../src/metrics/registry.ts';

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
  return readScrape(await registry.render());
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
export async function metricsUrl(service: LoggingService): Promise<string> {
  const [, url = ''] = await service.untilLogged(/"message":"metrics","address":"([^"]+)"/);
  return url;
}

/** Resolves once the service has begun to serve a request, or as many, whose callers may keep back the rest. */
export async function untilUnderWay(service: LoggingService, requests = 1): Promise<void> {
  const url = await metricsUrl(service);
  while ((await scrape(url)).value('http_server_active_requests') < requests) await Bun.sleep(5);
}

interface LoggingService {
  untilLogged(pattern: RegExp): Promise<RegExpExecArray>;
}
