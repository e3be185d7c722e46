import { describe, expect, it } from 'bun:test';
import parse from 'parse-prometheus-text-format';
import { createRegistry } from '../../src/metrics/registry.ts';
import { readScrape } from '../support/metrics/scrape.ts';

describe('a histogram', () => {
  it('puts each value into the first bucket whose bound is not below it', async () => {
    const registry = createRegistry();
    const histogram = registry.histogram('weight_kilograms', 'Weights.', [1, 2.5, 10]).with({ kind: 'cat' });
    for (const weight of [0, 1, 1.5, 2.5, 3, 100]) histogram.observe(weight);
    const scraped = readScrape(await registry.render());
    const upTo = (le: string) => scraped.value('weight_kilograms_bucket', { kind: 'cat', le });
    expect(['1', '2.5', '10', '+Inf'].map(upTo)).toEqual([2, 4, 5, 6]);
    expect(scraped.value('weight_kilograms_count')).toBe(6);
    expect(scraped.value('weight_kilograms_sum')).toBe(108);
  });
});

describe('a gauge', () => {
  it('has no sample while it cannot be read, without affecting the others', async () => {
    const registry = createRegistry();
    registry.gauge('broken', 'Broken.', () => {
      throw new Error('It cannot be read.');
    });
    registry.gauge('later', 'Later.', () => Promise.reject(new Error('It cannot be read.')));
    registry.gauge('whole', 'Whole.', () => 1);
    expect(await registry.render()).toMatch(/^# .*broken[^]*^whole 1$/m);
    expect(await registry.render()).not.toMatch(/^(?:broken|later) /m);
  });

  it('has no sample if reading it takes too long, without holding up the others', async () => {
    const registry = createRegistry(1);
    registry.gauge('hanging', 'Hanging.', () => new Promise<number>(() => {}));
    registry.gauge('whole', 'Whole.', () => 1);
    expect(await registry.render()).toEndWith(
      '# TYPE hanging gauge\n# HELP whole Whole.\n# TYPE whole gauge\nwhole 1\n',
    );
  });

  it('can be infinite', async () => {
    const registry = createRegistry();
    registry.gauge('age_seconds', 'Age.', () => Infinity);
    expect(await registry.render()).toContain('age_seconds +Inf\n');
  });
});

it('escapes labels and help so that a parser reads them back', async () => {
  const registry = createRegistry();
  const name = 'a "quoted" \\ name\nof two lines';
  registry.counter('odd_total', 'A \\ and\na line.').with({ name }).increment();
  const text = await registry.render();
  expect(text.trimEnd().split('\n')).toHaveLength(3);
  expect(parse(text)[0]?.metrics[0]?.labels).toEqual({ name });
});
