import { describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as embed from '../src/embed.ts';
import { makeFolder } from './support/process/process.ts';
import { outputOf, project } from './support/process/package.ts';

const page = readFileSync(join(project, 'docs/embed.md'), 'utf8');

describe('petstore-server/embed', () => {
  it('runs the example of its page', async () => {
    using folder = makeFolder();
    const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
    const command = [process.execPath, '-e', example.replace("'pets.db'", JSON.stringify(folder.database))];
    expect(await outputOf(command, project)).toBe('200\n');
  });

  it('exports what its page lists', () => {
    const [, table = ''] = /^\| Export(.*)^`createApp` serves/ms.exec(page) ?? [];
    for (const name of Object.keys(embed)) expect(table).toContain(`\`${name}\``);
  });
});
