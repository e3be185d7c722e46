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

/** Of several addresses, the sum. */
export async function scrape(...urls: string[]): Promise<Scrape> {
  const responses = await Promise.all(urls.map((url) => fetch(url)));
  for (const { status } of responses) if (status !== 200) throw new Error(`The scrape got ${status}.`);
  const texts = await Promise.all(responses.map((response) => response.text()));
  return readScrape(texts.join(''));
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
  const [url = ''] = await metricsUrls(service, 1);
  return url;
}

/** The same with several workers: each has its own. */
export async function metricsUrls(service: LoggingService, workers: number): Promise<string[]> {
  const [lines] = await service.untilLogged(new RegExp(`(${addressLine.source}[^]*){${workers}}`));
  return [...lines.matchAll(new RegExp(addressLine, 'g'))].map(([, url = '']) => url);
}

/** Resolves once the service has begun to serve a request, or as many, whose callers may keep back the rest. */
export async function untilUnderWay(service: LoggingService, workers = 1, requests = 1): Promise<void> {
  const urls = await metricsUrls(service, workers);
  while ((await scrape(...urls)).value('http_server_active_requests') < requests) await Bun.sleep(5);
}

interface LoggingService {
  untilLogged(pattern: RegExp): Promise<RegExpExecArray>;
}

const addressLine = /"message":"metrics","address":"([^"]+)"/;
