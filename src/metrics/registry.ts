/** What the service counts and measures about itself, for a scrape in Prometheus' text format. */
export interface Registry {
  counter(name: string, help: string): Labelled<Counter>;
  /** `bounds` are the inclusive upper ends of the buckets, ascending, without the last one, which is open. */
  histogram(name: string, help: string, bounds: readonly number[]): Labelled<Histogram>;
  /** Read at each scrape. */
  gauge(name: string, help: string, read: ReadGauge): void;
  /** A counter that something else keeps, read at each scrape. */
  observedCounter(name: string, help: string, read: ReadGauge): void;
  /** Never fails: what cannot be read has no sample. */
  collect(): Promise<Family[]>;
}

export type Labels = Readonly<Record<string, string>>;
type Readings = number | { labels: Labels; value: number }[];
type ReadGauge = () => Readings | Promise<Readings>;

/** The same labels give the same child. Keep the child: finding it costs more than using it. */
export interface Labelled<Child> {
  with(labels: Labels): Child;
}

export interface Counter {
  increment(): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** A metric as it was at one moment. */
export interface Family {
  name: string;
  help: string;
  kind: 'counter' | 'gauge' | 'histogram';
  /** Of a histogram. */
  bounds: readonly number[];
  samples: Sample[];
}

export interface Sample {
  labels: Labels;
  /** One value; of a histogram, the count of each bucket alone, and then the sum of what was observed. */
  values: number[];
}

export function createRegistry(): Registry {
  const metrics = new Map<string, () => Promise<Family>>();

  const add = (description: Omit<Family, 'samples'>, read: () => Sample[] | Promise<Sample[]>): void => {
    const { name } = description;
    if (metrics.has(name)) throw new Error(`The metric ${name} exists already.`);
    metrics.set(name, async () => {
      const samples = await Promise.try(read).catch(() => []);
      return { ...description, samples };
    });
  };

  const addChildren = <Child extends { values(): number[] }>(
    description: Omit<Family, 'samples'>,
    create: () => Child,
  ): Labelled<Child> => {
    const children = new Map<string, { labels: Labels; child: Child }>();
    add(description, () =>
      [...children.values()].map(({ labels, child }) => ({ labels, values: child.values() })),
    );
    return {
      with(labels) {
        const key = JSON.stringify(labels);
        const known = children.get(key) ?? { labels, child: create() };
        children.set(key, known);
        return known.child;
      },
    };
  };

  return {
    counter: (name, help) =>
      addChildren({ name, help, kind: 'counter', bounds: [] }, () => new CounterCell()),
    histogram: (name, help, bounds) =>
      addChildren({ name, help, kind: 'histogram', bounds }, () => new HistogramCell(bounds)),
    gauge: (name, help, read) =>
      add({ name, help, kind: 'gauge', bounds: [] }, async () => samplesOf(await read())),
    observedCounter: (name, help, read) =>
      add({ name, help, kind: 'counter', bounds: [] }, async () => samplesOf(await read())),
    collect: () => Promise.all([...metrics.values()].map((collect) => collect())),
  };
}

class CounterCell implements Counter {
  #value = 0;

  increment(): void {
    this.#value += 1;
  }

  values(): number[] {
    return [this.#value];
  }
}

class HistogramCell implements Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    // Most values fall into the first buckets, so a plain search is the shortest.
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  values(): number[] {
    return [...this.#counts, this.#sum];
  }
}

function samplesOf(readings: Readings): Sample[] {
  if (typeof readings === 'number') return [{ labels: {}, values: [readings] }];
  return readings.map(({ labels, value }) => ({ labels, values: [value] }));
}
