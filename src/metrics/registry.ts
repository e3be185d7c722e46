import { setTimeout as sleep } from 'node:timers/promises';

/** The service's metrics, for a scrape in Prometheus' text format. */
export interface Registry {
  counter(name: string, help: string): Labelled<Counter>;
  /** `bounds` are the inclusive upper ends of the buckets, ascending, without the last bucket, which is open. */
  histogram(name: string, help: string, bounds: readonly number[]): Labelled<Histogram>;
  /** Read at each scrape. */
  gauge(name: string, help: string, read: ReadGauge): void;
  /** A counter kept elsewhere and read at each scrape. */
  observedCounter(name: string, help: string, read: ReadGauge): void;
  /** Prometheus' text format, version 0.0.4. Never fails: a metric that cannot be read in time has no sample. */
  render(): Promise<string>;
}

type Labels = Readonly<Record<string, string>>;
type Readings = number | { labels: Labels; value: number }[];
type ReadGauge = () => Readings | Promise<Readings>;

/** Equal labels give the same child. Keep the child: finding it costs more than using it. */
export interface Labelled<Child> {
  with(labels: Labels): Child;
}

type Kind = 'counter' | 'gauge' | 'histogram';

/** By default, a metric may take half of a scraper's default timeout of ten seconds. */
export function createRegistry(readWithinMs = 5000): Registry {
  const metrics: (() => Promise<string>)[] = [];

  const add = (name: string, kind: Kind, help: string, lines: () => string | Promise<string>): void => {
    const head = `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${kind}\n`;
    metrics.push(async () => head + (await Promise.try(lines).catch(() => '')));
  };

  const addRead = (name: string, kind: Kind, help: string, read: ReadGauge): void =>
    add(name, kind, help, async () => {
      const readings = await Promise.race([read(), sleep(readWithinMs, [], { ref: false })]);
      if (typeof readings === 'number') return line(name, {}, readings);
      return readings.map(({ labels, value }) => line(name, labels, value)).join('');
    });

  const addChildren = <Child extends { render(name: string, labels: Labels): string }>(
    name: string,
    kind: Kind,
    help: string,
    create: () => Child,
  ): Labelled<Child> => {
    const children = new Map<string, { labels: Labels; child: Child }>();
    add(name, kind, help, () =>
      Array.from(children.values(), ({ labels, child }) => child.render(name, labels)).join(''),
    );
    return {
      with(labels) {
        const key = JSON.stringify(labels);
        const entry = children.get(key) ?? { labels, child: create() };
        children.set(key, entry);
        return entry.child;
      },
    };
  };

  return {
    counter: (name, help) => addChildren(name, 'counter', help, () => new Counter()),
    histogram: (name, help, bounds) =>
      addChildren(name, 'histogram', help, () => new Histogram([...bounds, Infinity])),
    gauge: (name, help, read) => addRead(name, 'gauge', help, read),
    observedCounter: (name, help, read) => addRead(name, 'counter', help, read),
    async render() {
      const texts = await Promise.all(metrics.map((render) => render()));
      return texts.join('');
    },
  };
}

export class Counter {
  #value = 0;

  increment(): void {
    this.#value += 1;
  }

  render(name: string, labels: Labels): string {
    return line(name, labels, this.#value);
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** Counts per bucket, not cumulative. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    // Most values fall into the first buckets, so a linear search is fastest.
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** The text format is cumulative: each bucket includes those below it. */
  render(name: string, labels: Labels): string {
    let count = 0;
    const buckets = this.#bounds.map((bound, index) => {
      count += this.#counts[index] ?? 0;
      return line(`${name}_bucket`, { ...labels, le: numberText(bound) }, count);
    });
    return buckets.join('') + line(`${name}_sum`, labels, this.#sum) + line(`${name}_count`, labels, count);
  }
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escape(text).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}\n`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}
