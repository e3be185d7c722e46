import { expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The walks of docs/architecture.md. */

const project = join(import.meta.dir, '../..');
const document = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
const [, chapter = ''] = document.split('\n## Three walks\n');
const [, ...walks] = chapter.split('\n## ')[0]!.split('\n### ');

it('documents three walks', () => {
  expect(walks.map((walk) => walk.split('\n')[0])).toEqual([
    'A hot list',
    'A durable create',
    'A CSV import into PostgreSQL',
  ]);
});

it.each(walks.map((walk) => [walk.split('\n')[0]!, walk] as const))(
  'reaches every file of a walk by imports from the first: %s',
  (_title, walk) => {
    const [first = '', ...others] = Array.from(
      walk.matchAll(/`([\w/-]+\.ts)`/g),
      ([, name]) => `src/${name}`,
    );
    const reached = reachableFrom(first);
    expect(others.length).toBeGreaterThan(8);
    expect(others.filter((file) => !reached.has(file))).toEqual([]);
  },
);

/** A file, and all files that it imports or starts as a thread, directly or not. */
function reachableFrom(first: string): Set<string> {
  const reached = new Set([first]);
  // A set also visits what is added meanwhile.
  for (const file of reached) {
    const text = readFileSync(join(project, file), 'utf8');
    const found = text.matchAll(/(?:from|import\(|new URL\()\s*'(\.[^']+\.ts)'/g);
    for (const [, path = ''] of found) reached.add(join(dirname(file), path));
  }
  return reached;
}
