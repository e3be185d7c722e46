import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { exports } from '../../package.json';
import { publishedFolders } from '../../scripts/release/published.ts';
import { project } from '../support/process/package.ts';

/** What the packages are like once they are packed is shown beside the packages that pack them. */

it.each(publishedFolders)('the package in %s says what it is', async (folder) => {
  const manifest = (await Bun.file(join(project, folder, 'package.json')).json()) as Record<string, unknown>;
  expect(manifest).toMatchObject({ keywords: expect.any(Array), author: 'The Petstore maintainers' });
  // These need an address; `npm run release -- --repository` fills them in.
  for (const field of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(field);
});

it('only Bun can import the server', () => {
  expect(Object.keys(exports['./embed'])).toEqual(['types', 'bun']);
});
