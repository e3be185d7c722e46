import type { Family, Merge, Sample } from './registry.ts';

/** Makes one scrape of those of several processes. */
export function mergeFamilies(scrapes: Family[][]): Family[] {
  const merged = new Map<string, Family>();
  for (const family of scrapes.flat()) {
    const known = merged.get(family.name);
    const samples = known
      ? mergeSamples([...known.samples, ...family.samples], family.merge)
      : family.samples;
    merged.set(family.name, { ...family, samples });
  }
  return [...merged.values()];
}

/** What stays true of a process that is gone: its counts. Without them, a sum would go down. */
export function countsOf(families: Family[]): Family[] {
  return families.filter(({ kind }) => kind !== 'gauge');
}

function mergeSamples(samples: Sample[], merge: Merge): Sample[] {
  const merged = new Map<string, Sample>();
  for (const { labels, values } of samples) {
    const key = JSON.stringify(labels);
    const known = merged.get(key)?.values;
    const combined = known ? values.map((value, index) => combine[merge](value, known[index] ?? 0)) : values;
    merged.set(key, { labels, values: combined });
  }
  return [...merged.values()];
}

const combine: Record<Merge, (one: number, other: number) => number> = {
  sum: (one, other) => one + other,
  min: Math.min,
  max: Math.max,
};
