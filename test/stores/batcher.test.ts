import { describe, expect, it } from 'bun:test';
import { unavailable } from '../../src/domain/error.ts';
import { createRegistry } from '../../src/metrics/registry.ts';
import { createBatcher } from '../../src/stores/batcher.ts';
import { createWriteMonitor } from '../../src/stores/write-monitor.ts';
import { createLog } from '../../src/system/log.ts';
import { codeOf } from '../support/code-of.ts';
import { scrapeRegistry } from '../support/metrics/scrape.ts';

const bad = 617;

/** Runs items that wait together. They start after the first one, which is a batch of its own. */
async function runTogether(run: (items: number[]) => Promise<number[]>) {
  const batcher = createBatcher(run);
  return Promise.allSettled(Array.from({ length: 1001 }, (_, index) => batcher.add(index - 1)));
}

describe('a batch with one bad item', () => {
  it('fails that item alone, after few runs, and keeps the order', async () => {
    let runCount = 0;
    const done: number[] = [];
    const results = await runTogether(async (items) => {
      runCount += 1;
      if (items.includes(bad)) throw new Error('bad');
      done.push(...items);
      return items;
    });
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: new Error('bad') }]);
    expect(done).toEqual(
      Array.from({ length: 1001 }, (_, index) => index - 1).filter((item) => item !== bad),
    );
    expect(runCount).toBeLessThan(25);
  });

  it('fails soon if the store goes down meanwhile', async () => {
    let runCount = 0;
    const results = await runTogether(async (items) => {
      runCount += 1;
      if (runCount > 2) throw unavailable(new Error('down'));
      if (items.length > 1) throw new Error('bad');
      return items;
    });
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1000);
    expect(runCount).toBe(4);
  });
});

describe('the monitor of writes', () => {
  /** A batcher whose next outcomes are these: an error, or none. */
  function createMonitored() {
    const lines: string[] = [];
    const write = (line: string) => {
      const { level, message, reason } = JSON.parse(line) as Record<string, string>;
      lines.push([level, message, reason].filter(Boolean).join(': '));
    };
    const metrics = createRegistry();
    const log = createLog({ level: 'info', write });
    const monitor = createWriteMonitor({ length: () => 0, capacity: 1 }, { log, metrics });
    const run = async (errors: (Error | undefined)[]) => {
      for (const error of errors) if (error) throw error;
      return errors;
    };
    const batcher = createBatcher<Error | undefined, Error | undefined>(run, { monitor, maxLength: 1 });
    const gauge = async () => (await scrapeRegistry(metrics)).value('petstore_writes_failing');
    return { lines, monitor, batcher, gauge, write: (error?: Error) => codeOf(batcher.add(error)) };
  }

  const full = unavailable(new Error('disk full'));

  it('ignores bugs and a full queue', async () => {
    const { monitor, batcher, write } = createMonitored();
    await write(new Error('bug'));
    expect(monitor.isFailing).toBe(false);
    await write(full);
    await write(new Error('bug'));
    expect(monitor.isFailing).toBe(true);
    await write();
    // The first one runs, and only one may wait.
    const outcomes = [1, 2, 3].map(() => codeOf(batcher.add(undefined)));
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'overloaded']);
    expect(monitor.isFailing).toBe(false);
  });
});
