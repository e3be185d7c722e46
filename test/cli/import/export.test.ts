import { describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { idsOf } from '../../support/http/calls.ts';
import { makePostgresPlace } from '../../support/postgres/place.ts';
import { makeFolder, type Folder } from '../../support/process/process.ts';
import { exported, importText } from '../../support/process/files.ts';

/** What is hard to write to a file: the edges of int64, and names that look like syntax. */
const oddNames = [
  ...[
    '',
    ' ',
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\\',
    '\\u0041',
    "'",
    '{"name":"A"}',
    '],[',
    'null',
    '0',
  ],
  ...[
    '=1+1',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
    'é',
    'e\u0301',
    '猫',
    '🐾',
  ],
  ...['\u{10ffff}', '\u202etxt', 'id,name,categoryId,status', 'x'.repeat(5000)],
];
const edges = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const statuses = [',"status":"available"', ',"status":"pending"', ',"status":"sold"', ''];
const oddPets = oddNames
  .flatMap((name, index) => edges.map((edge, at) => [name, edge, statuses[(index + at) % 4]] as const))
  .map(
    ([name, edge, status], index) =>
      `{"id":${index + 1},"name":${JSON.stringify(name)},"categoryId":${edge}${status}}\n`,
  )
  .join('');

const stores = [
  {
    store: 'the embedded store',
    makePlace: async (folder: Folder, name: string) => join(folder.path, name),
    formats: ['csv'],
  },
  {
    store: 'PostgreSQL',
    makePlace: async () => (await makePostgresPlace()).address,
    formats: [],
  },
];

for (const { store, makePlace, formats } of stores) {
  describe(`petstore import and export on ${store}`, () => {
    it(`round-trip every pet byte for byte: ${['ndjson', ...formats].join(', ')}`, async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'one.db');
      expect(await importText(oddPets, place)).toMatchObject({ status: 0 });
      expect(await exported(place)).toBe(oddPets);
      for (const format of formats) {
        const other = await makePlace(folder, `${format}.db`);
        const text = await exported(place, format);
        expect(await importText(text, other, '--keep-ids')).toMatchObject({ status: 0 });
        expect(await exported(other)).toBe(oddPets);
      }
    });

    it('keep ids with gaps, and assign the next id after them', async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'shop.db');
      const text = '{"id":5,"name":"A","categoryId":1}\n{"id":9007199254740993,"name":"B","categoryId":2}\n';
      expect(await importText(text, place, '--keep-ids')).toMatchObject({ status: 0 });
      expect(await importText('{"name":"C","categoryId":3}', place)).toMatchObject({ status: 0 });
      const taken = await importText('{"id":6,"name":"D","categoryId":4}', place, '--keep-ids');
      expect(taken).toMatchObject({ status: 1, stdout: '' });
      expect(taken.stderr).toContain(
        'The next id in the file is 6, but the store has ids up to 9007199254740994',
      );
      const unordered = '{"id":9007199254740999,"name":"D","categoryId":4}\n'.repeat(2);
      const refused = await importText(unordered, place, '--keep-ids');
      expect(refused.stderr).toContain(
        'line 2: id must be larger than 9007199254740999, the id before it, not 9007199254740999.',
      );
      expect(await exported(place)).toBe(`${text}{"id":9007199254740994,"name":"C","categoryId":3}\n`);
    });

    it('add a file only once, unless --again is given', async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'shop.db');
      const text = '{"name":"A","categoryId":1}\n{"name":"B","categoryId":2}\n';
      expect((await importText(text, place)).stdout).toMatch(/^Added 2 pets to .* in /);
      const second = await importText(text, place);
      expect(second).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing was added') });
      expect((await importText(text, place, '--again')).stdout).toMatch(/^Added 2 pets to .* in /);
      expect((await importText(text, place)).stdout).toContain('Nothing was added');
      expect(idsOf(await exported(place))).toEqual(['1', '2', '3', '4']);
    });
  });
}

describe('petstore import', () => {
  it('refuses a whole file with bad rows', async () => {
    using folder = makeFolder();
    const place = folder.database;
    const rows = ['{"name":"A","categoryId":1}', '{"name":"B"}', 'nonsense', '{"name":"C","categoryId":3}'];
    const refused = await importText(rows.join('\n'), place);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(existsSync(place)).toBe(false);
    expect(refused.stderr).toContain(
      'line 2: categoryId is required.\nline 3: This is not JSON at column 1: invalid symbol.\n',
    );
    expect(refused.stderr).toEndWith(
      'petstore: 2 rows of 4 cannot be imported, so nothing was written. Fix the file, and import it again.\n',
    );
  });
});
