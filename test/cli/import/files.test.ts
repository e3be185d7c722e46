import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
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
async function importBytes(bytes: Uint8Array | string, ...args: string[]) {
  const path = join(folder.path, `${(fileCount += 1)}.txt`);
  writeFileSync(path, bytes);
  const before = new Set((await Array.fromAsync(service.client.pets())).map(({ id }) => id));
  const result = await runAt(service, ['import', path, ...args]);
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
const utf16le = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('petstore import reads', () => {
  it.each<[string, Uint8Array | string]>([
    ['commas', sheet(',')],
    ['semicolons, and the line that tells Excel of them', `\ufeffSEP=;\r\n${sheet(';')}`],
    ['tabs in UTF-16, little-endian', utf16le(`sep=\t\r\n${sheet('\t')}`)],
    ['UTF-16, big-endian', utf16le(sheet(';')).swap16()],
    ['the line ends of an old Mac', sheet(',').replaceAll('\r\n', '\r').replace('€\r2', '€\r\n2')],
  ])('CSV with %s', async (_title, bytes) => {
    const { status, stderr, added } = await importBytes(bytes);
    expect({ status, added }).toEqual({ status: 0, added: pets });
    expect(stderr).toContain('Left out: the column Shelf.\n');
  });

  it('windows-1252 when told, unless there is a byte order mark', async () => {
    const bytes = Buffer.from('Name;CategoryId\r\nJos\xe9 \x80 \x9f;1\r\n', 'latin1');
    expect(await importBytes(bytes)).toMatchObject({
      status: 1,
      stderr:
        'petstore: The file is not valid UTF-8. Save it as UTF-8. If an older Excel saved it, add --encoding windows-1252.\n',
    });
    const told = ['--encoding', 'windows-1252'];
    expect((await importBytes(bytes, ...told)).added).toEqual([{ name: 'José € Ÿ', categoryId: 1n }]);
    const marked = Buffer.from('\ufeffname;categoryId\r\nJosé;1\r\n');
    expect((await importBytes(marked, ...told)).added).toEqual([{ name: 'José', categoryId: 1n }]);
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

  it.each(['-', '/dev/stdin'])('a pipe as %s, and leaves no temporary file', async (name) => {
    using temporary = makeFolder();
    const command = petstoreCommand(['import', name, '--url', service.url]);
    const script = `seq 2000 | sed 's/.*/{"name":"Pet & ${name.length}","categoryId":&}/' | "$@"`;
    const shell = Bun.spawn(['sh', '-c', script, 'sh', ...command], {
      env: cleanEnvironment({ TMPDIR: temporary.path, API_KEY: service.apiKey }),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 300_000,
    });
    const [stdout, status] = await Promise.all([shell.stdout.text(), shell.exited]);
    expect({ status, stdout, left: readdirSync(temporary.path) }).toEqual({
      status: 0,
      stdout: `Added 2,000 of 2,000 pets to ${service.url}.\n`,
      left: [],
    });
  });

  it('a huge file in little memory', async () => {
    const path = join(folder.path, 'huge.ndjson');
    const peak = async (count: number): Promise<number> => {
      // The last row is bad, so nothing is sent; the second reading is like the first.
      writeFileSync(path, `${'{"name":"A name of the usual length","categoryId":1}\n'.repeat(count)}{}\n`);
      const child = Bun.spawn(petstoreCommand(['import', path, '--url', service.url]), {
        env: cleanEnvironment({ API_KEY: service.apiKey }),
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: 300_000,
      });
      expect(await child.exited).toBe(1);
      return (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
    };
    const [medium, large] = [await peak(50_000), await peak(600_000)];
    // Its rows as objects would take more than 200 MB.
    expect(large - medium).toBeLessThan(120);
  });
});

describe('petstore import refuses a whole file', () => {
  it('with bad rows of JSON, each with its line and reason', async () => {
    const rows: [row: string, problem: string | RegExp][] = [
      ['{"name":"\\ud800","categoryId":1}', /^name must be well-formed Unicode without U\+0000, not "/],
      ['{"name":"A","categoryId":"1"}', /^categoryId must be an integer .*, not "1"\.$/],
      ['{"name":"A","categoryId":{"id":1}}', /^categoryId must be an integer .*, not an array or object\.$/],
      ['{"name":"A","categoryId":9223372036854775808}', /, not 9223372036854775808\.$/],
      [`{"name":"A","categoryId":${'9'.repeat(50)}}`, /, not 9{40}…\.$/],
      ['{"name":7}', 'name must be a string, not 7. categoryId is required.'],
      ['{"name":"A","categoryId":1,"status":"Sold"}', /^status must be one of .*, not "Sold"\.$/],
      ['{"name":"A" "categoryId":1}', 'This is not JSON at column 13: comma expected.'],
      ...['1', '"Rex"', 'null', '[]', 'true'].map((row): [string, string] => [
        row,
        'A pet is a JSON object with the fields name and categoryId.',
      ]),
      ['{"name":"A","category":[]}', 'category must be a whole number or a name.'],
      ['{"name":"A","category":null}', 'category must be a whole number or a name.'],
      ['{"name":"A","category":"007"}', 'category must be a whole number or a name.'],
      ['{"name":"A","category":" "}', /^category must have 1 to 100 characters/],
      [
        `{"name":"${'x'.repeat(256)}","categoryId":1}`,
        /^name must have at most 255 characters, not "x{40}…"\.$/,
      ],
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
      ['A', String.raw`2: This row has 1 field, but the header has 3: "A"\.`],
      ['A,1,sold,x', String.raw`3: This row has 4 fields, but the header has 3: "A,1,sold,x"\.`],
      ['"two\r\nlines",1.0,sold', String.raw`4: categoryId must be an integer .*, not "1\.0"\.`],
      ['A,9223372036854775808,', String.raw`6: categoryId must .*, not "9223372036854775808"\.`],
      ['\r\nA,1,Flying', String.raw`8: status must be one of .*, not "flying"\.`],
      [`A,x,${'y'.repeat(50)}`, String.raw`9: .*, not "x"\. status must .*, not "y{40}…"\.`],
      ['A"B",1,', '10: A field with quotes must be quoted whole, .* not checked.'],
      ['not,checked'],
    ];
    const problems = await problemsOf(`name,categoryId,status\r\n${rows.map(([row]) => row).join('\r\n')}`);
    const expected = rows.flatMap(([, problem]) => (problem === undefined ? [] : [`^${problem}$`]));
    expect(problems).toEqual(expected.map((form) => expect.stringMatching(new RegExp(form)) as string));
  });

  it.each<[string, Uint8Array | string, RegExp]>([
    ['a quote that is never closed', 'name,categoryId\nA,1\n"B,2\nC,3\n', /^line 3: A field with quotes/m],
    ['a column missing', 'name,status\n', /columns once: categoryId\. It is "name,status"\./],
    ['no header', 'Rex,1,sold\n', /columns once: name, categoryId\./],
    ['a column twice', 'name;Name;categoryId\r\n', /columns once: name\./],
    ['another separator', 'name|categoryId\r\n', /columns once: name, categoryId\./],
    ['a JSON array', ' \n[{"name":"A"}]', /^petstore: This looks like a JSON array.* jq -c/],
    ['a line that never ends', `{"name":"${'x'.repeat(2_000_000)}`, /row at line 1 is longer than 1 MiB/],
    ['a field that never ends', `name,categoryId\n${'x'.repeat(2_000_000)}`, /row at line 2 is longer/],
    [
      'a spreadsheet',
      Buffer.from('PK\x03\x04\x14\0secret', 'latin1'),
      /This is a spreadsheet [^\0]*"CSV UTF-8"/,
    ],
    ['an old spreadsheet', Buffer.from('\xd0\xcf\x11\xe0\xa1', 'latin1'), /This is a spreadsheet/],
    ['half a character in UTF-16', utf16le('name;categoryId\r\nA\ud83d;1\r\n'), /not valid UTF-16LE\./],
    [
      'half a unit in UTF-16',
      utf16le('name;categoryId\r\nB;2').swap16().subarray(0, -1),
      /not valid UTF-16BE\./,
    ],
    [
      'half a character at its end',
      Buffer.from('{"name":"A","categoryId":1}\né').subarray(0, -1),
      /not valid UTF-8/,
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
    ['.', '. is a folder. Name a file, or - for standard input.'],
  ])('that cannot be read: %s', async (name, message) => {
    const result = { status: 1, stdout: '', stderr: `petstore: ${message}\n` };
    expect(await runAt(service, ['import', name])).toEqual(result);
  });
});
