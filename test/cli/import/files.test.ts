import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openListeningService, type ListeningService } from '../../support/http/listening.ts';
import { importText, runAt } from '../../support/process/files.ts';
import { cleanEnvironment, makeFolder, petstoreCommand, type Folder } from '../../support/process/process.ts';

let folder: Folder;
let service: ListeningService;
beforeAll(async () => {
  folder = makeFolder();
  service = await openListeningService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

let fileCount = 0;

/** Imports bytes from a file of their own, and gives the pets that this added, in the order of their names. */
async function importBytes(bytes: Uint8Array | string) {
  const path = join(folder.path, `${(fileCount += 1)}.txt`);
  writeFileSync(path, bytes);
  const before = new Set((await Array.fromAsync(service.client.pets())).map(({ id }) => id));
  const result = await runAt(service, ['import', path]);
  const pets = (await Array.fromAsync(service.client.pets())).filter(({ id }) => !before.has(id));
  const added = pets.map(({ id: _id, ...pet }) => pet).sort((one, other) => (one.name < other.name ? -1 : 1));
  return { ...result, added };
}

/** What the command says about the rows of a file that it refuses: `2: categoryId is required.` */
async function problemsOf(text: string): Promise<string[]> {
  const { status, stdout, stderr, added } = await importBytes(text);
  expect({ status, stdout, added }).toEqual({ status: 1, stdout: '', added: [] });
  return Array.from(stderr.matchAll(/^line (\d+: .*)$/gm), ([, problem = '']) => problem);
}

/** What Excel writes: CRLF, quotes where they are needed, and a cell of two lines. */
const sheet = (separator: string): string =>
  [
    [' Name ', 'CATEGORYID', 'Status', 'Shelf'],
    ['"Rex; ""the"", 1st"', ' 7 ', ' Sold ', '3'],
    ['', '', '', ''],
    ['"José €\r\n2"', '-1', '', ''],
  ]
    .map((row) => `${row.join(separator)}\r\n`)
    .join('');
const pets = [
  { name: 'José €\r\n2', categoryId: -1n },
  { name: 'Rex; "the", 1st', categoryId: 7n, status: 'sold' as const },
];

describe('petstore import reads', () => {
  it.each<[string, string]>([
    ['commas', sheet(',')],
    ['semicolons and a byte order mark', `\ufeff${sheet(';')}`],
    ['tabs', sheet('\t')],
    ['the line ends of an old Mac', sheet(',').replaceAll('\r\n', '\r').replace('€\r2', '€\r\n2')],
  ])('CSV with %s', async (_title, bytes) => {
    const { status, stderr, added } = await importBytes(bytes);
    expect({ status, added }).toEqual({ status: 0, added: pets });
    expect(stderr).toContain('Left out: the column Shelf.\n');
  });

  it('NDJSON with blank lines and both line ends', async () => {
    const text = '\n{"name":"A","categoryId":1}\r\n \t\n{"name":"B\u2028","categoryId":-9223372036854775808}';
    expect((await importBytes(text)).added).toEqual([
      { name: 'A', categoryId: 1n },
      { name: 'B\u2028', categoryId: -(2n ** 63n) },
    ]);
  });

  it('a long file in pieces, wherever they are cut', async () => {
    const name = '🐾"é,\n'.repeat(50);
    const row = `"${name.replaceAll('"', '""')}"`;
    const rows = Array.from({ length: 100 }, (_, index) => `${row},${index}\n`);
    const { status, added } = await importBytes(`name,categoryId\n${rows.join('')}`);
    expect([status, added.length, added.every((pet) => pet.name === name)]).toEqual([0, 100, true]);
  });

  it('a huge file in little memory', async () => {
    const path = join(folder.path, 'huge.ndjson');
    const peak = async (count: number): Promise<number> => {
      // Two of three rows are bad, so nothing is sent; the second reading is like the first.
      writeFileSync(path, '{"name":"A name of the usual length","categoryId":1}\n{}\n{}\n'.repeat(count));
      const child = Bun.spawn(petstoreCommand(['import', path, '--url', service.url]), {
        env: cleanEnvironment({ API_KEY: service.apiKey }),
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: 300_000,
      });
      expect(await child.exited).toBe(1);
      return (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
    };
    const [medium, large] = [await peak(25_000), await peak(200_000)];
    // Its rows as objects would take about 70 MB, and its problems twice as much.
    expect(large - medium).toBeLessThan(60);
  });
});

describe('petstore import refuses a whole file', () => {
  it('with bad rows of JSON, each with its line and reason', async () => {
    const rows: [row: string, problem: string | RegExp][] = [
      ['{"name":"\\ud800","categoryId":1}', 'name must be well-formed Unicode without U+0000.'],
      ['{"name":"A","categoryId":"1"}', /^categoryId must be an integer from /],
      ['{"name":"A","categoryId":9223372036854775808}', /^categoryId must be an integer from /],
      ['{"name":7}', 'name must be a string. categoryId is required.'],
      ['{"name":"A" "categoryId":1}', 'This is not JSON at column 13: comma expected.'],
      ...['1', '"Rex"', 'null', '[]', 'true'].map((row): [string, string] => [
        row,
        'A pet is a JSON object with the fields name and categoryId.',
      ]),
      ...['[]', 'null', '"007"'].map((category): [string, string] => [
        `{"name":"A","category":${category}}`,
        'category must be a whole number or a name.',
      ]),
      ['{"name":"A","category":" "}', /^category must have 1 to 100 characters/],
      [`{"name":"${'🐕'.repeat(256)}","categoryId":1}`, /^name must have at most 255 characters/],
    ];
    const problems = await problemsOf(
      `{"name":"Rex","categoryId":1}\n${rows.map(([row]) => row).join('\n\n')}`,
    );
    expect(problems).toEqual(
      rows.map(([, problem], index) =>
        typeof problem === 'string'
          ? `${2 * index + 2}: ${problem}`
          : expect.stringMatching(new RegExp(`^${2 * index + 2}: .*${problem.source.replace(/^\^/, '')}`)),
      ),
    );
  });

  it('with bad rows of CSV, each with its line and reason', async () => {
    const rows: [row: string, problem?: string][] = [
      ['A', '2: This row has more or fewer fields than the header.'],
      ['A,1,sold,x', '3: This row has more or fewer fields than the header.'],
      ['"two\r\nlines",1.0,sold', '4: categoryId must be an integer .*'],
      ['A,9223372036854775808,', '6: categoryId must be an integer .*'],
      ['\r\nA,1,Flying', '8: status must be one of .*'],
      ['A,x,y', '9: categoryId must .* status must .*'],
    ];
    const problems = await problemsOf(`name,categoryId,status\r\n${rows.map(([row]) => row).join('\r\n')}`);
    expect(problems).toEqual(
      rows.map(([, problem]) => expect.stringMatching(new RegExp(`^${problem}$`)) as string),
    );
  });

  it.each<[string, Uint8Array | string, RegExp]>([
    [
      'a quote that is never closed',
      'name,categoryId\nA,1\n"B,2\nC,3\n',
      /at line 3 \(CSV_QUOTE_NOT_CLOSED\)/,
    ],
    [
      'a quote in the middle',
      'name,categoryId\nA"B",1\n',
      /cannot be read at line 2 \(INVALID_OPENING_QUOTE\)/,
    ],
    ['a column missing', 'name,status\n', /must name the columns name and categoryId or category/],
    ['no header', 'Rex,1,sold\n', /must name the columns/],
    ['a column twice', 'name;Name;categoryId\r\n', /must name the columns/],
    ['another delimiter', 'name|categoryId\r\n', /must name the columns/],
    ['a JSON array', ' \n[{"name":"A"}]', /looks like a JSON array.* jq -c/],
    ['a line that never ends', `{"name":"${'x'.repeat(2_000_000)}`, /Line 1 is longer than 1 MiB/],
    ['a field that never ends', `name,categoryId\n${'x'.repeat(2_000_000)}`, /CSV_MAX_RECORD_SIZE/],
    ['a spreadsheet', Buffer.from('PK\x03\x04\xffsecret', 'latin1'), /is not UTF-8 text.*"CSV UTF-8"/],
    [
      'half a character at its end',
      Buffer.from('{"name":"A","categoryId":1}\né').subarray(0, -1),
      /is not UTF-8 text/,
    ],
  ])('with %s', async (_title, bytes, message) => {
    const { status, stdout, stderr, added } = await importBytes(bytes);
    expect({ status, stdout, added }).toEqual({ status: 1, stdout: '', added: [] });
    expect(stderr).toMatch(message);
  });

  it('and shows a hundred bad rows, and counts the others', async () => {
    const { stderr } = await importText('{}\n'.repeat(1234), service);
    expect(stderr.match(/^line \d+: /gm)).toHaveLength(100);
    expect(stderr).toEndWith(
      '… and 1,134 more.\npetstore: 1,234 rows of 1,234 cannot be imported, so nothing was sent. Fix the file, and import it again.\n',
    );
  });

  it.each([
    [
      'missing.ndjson',
      'The file missing.ndjson cannot be read: no such file or directory. Check its path and permissions.',
    ],
    ['/dev/stdin', '/dev/stdin is not a file. Name a file, which is read twice.'],
  ])('that cannot be read: %s', async (name, message) => {
    const result = { status: 1, stdout: '', stderr: `petstore: ${message}\n` };
    expect(await runAt(service, ['import', name])).toEqual(result);
  });
});
