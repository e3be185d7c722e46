import { scrape } from '../../test/support/metrics/scrape.ts';

export interface Scraping {
  stop(): Promise<{ count: number; fallen: string[] }>;
}

/** Scrapes without a pause until it is stopped, and notes every counter that falls or disappears. */
export function scrapeAllAlong(url: string): Scraping {
  const stopping = new AbortController();
  const fallen = new Set<string>();
  let count = 0;
  const scraping = (async () => {
    let before = new Map<string, number>();
    while (!stopping.signal.aborted) {
      const now = countersOf((await scrape(url)).text);
      for (const [series, value] of before) if (!((now.get(series) ?? -1) >= value)) fallen.add(series);
      before = now;
      count += 1;
    }
  })();
  // Told to whoever stops it.
  scraping.catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await scraping;
      return { count, fallen: [...fallen] };
    },
  };
}

function countersOf(text: string): Map<string, number> {
  const lines = text.matchAll(/^(\w+_(?:total|count|sum|bucket)(?:\{.*\})?) (\S+)$/gm);
  return new Map([...lines].map(([, series = '', value]) => [series, Number(value)]));
}
