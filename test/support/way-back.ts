import { join } from 'node:path';

/** The SQL that docs/decisions.md gives to an operator who goes back to an older schema, from the newest on. */
export async function wayBack(store: 'SQLite' | 'PostgreSQL', version: number): Promise<string> {
  const text = await Bun.file(join(import.meta.dir, '../../docs/decisions.md')).text();
  const steps = [...text.matchAll(/```sql\n-- (\w+)\n(.*?)```/gs)]
    .filter(([, name]) => name === store)
    .map(([, , sql = '']) => sql);
  const last = steps.findIndex((sql) => new RegExp(`version = ${version};`).test(sql));
  if (last === -1) throw new Error(`There is no way back to version ${version} on ${store}.`);
  return steps.slice(0, last + 1).join('');
}
