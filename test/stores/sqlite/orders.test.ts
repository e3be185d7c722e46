import { Database } from 'bun:sqlite';
import { expect, it } from 'bun:test';
import { sorts } from '../../../src/stores/store.ts';
import { createOrderStore, type StoreParts } from '../../../src/stores/sqlite/pets.ts';
import { makeSchema } from '../../../src/stores/sqlite/schema.ts';

/** Notes every statement. */
class NotingDatabase extends Database {
  readonly statements: string[] = [];

  override query(sql: string): never {
    this.statements.push(sql);
    return super.query(sql) as never;
  }
}

it.each(sorts)('the orders of a time are read by their index, %s first', (sort) => {
  using database = new NotingDatabase(':memory:');
  makeSchema(database);
  const freshness = { version: () => 1, read: <Result>(read: () => Result) => read() };
  const store = createOrderStore({ database, freshness } as unknown as StoreParts);
  for (const times of [{ since: 1 }, { until: 2 }, { since: 1, until: 2 }])
    for (const filter of [{}, { status: 'sold' }, { returned: true }, { returned: false }] as const)
      for (const start of [{}, { after: 2n }]) {
        void store.listOrders({ limit: 20, sort, ...times, ...filter, ...start });
        const plan = database.prepare<{ detail: string }, []>(
          `EXPLAIN QUERY PLAN ${database.statements.at(-1)}`,
        );
        const steps = plan.all().map(({ detail }) => detail);
        expect(steps[0]).toBe('SEARCH orders USING INDEX orders_by_time (created_at>? AND created_at<?)');
        expect(steps.join()).not.toContain('TEMP B-TREE');
      }
});
