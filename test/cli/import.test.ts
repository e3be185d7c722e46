import { describe, expect, it, setDefaultTimeout } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePostgresPlace } from '../postgres/place.ts';
import {
  cleanEnvironment,
  makeFolder,
  petstoreCommand,
  runCli,
  startService,
  type Folder,
} from '../process.ts';
import { runOnTerminal } from './terminal.ts';

setDefaultTimeout(120_000);

/** Everything that is hard to carry through a file: the edges of int64, and names that look like syntax. */
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
const oddAnimals = oddNames
  .flatMap((name, index) => edges.map((edge, at) => [name, edge, statuses[(index + at) % 4]] as const))
  .map(
    ([name, edge, status], index) =>
      `{"id":${index + 1},"name":${JSON.stringify(name)},"categoryId":${edge}${status}}\n`,
  )
  .join('');

const stores = [
  { store: 'the embedded store', makePlace: async (folder: Folder, name: string) => join(folder.path, name) },
  { store: 'PostgreSQL', makePlace: async () => (await makePostgresPlace()).address },
];

/** The animals of a store as our own export writes them. */
async function exported(place: string, format = 'ndjson'): Promise<string> {
  const { status, stdout } = await runCli(['export', '--format', format, '--database-url', place]);
  expect(status).toBe(0);
  return stdout;
}

async function importText(text: string, place: string, ...args: string[]) {
  return runCli(['import', '--database-url', place, ...args], { input: text });
}

for (const { store, makePlace } of stores) {
  describe(`petstore import and export on ${store}`, () => {
    it.each(['ndjson', 'json', 'csv'])(
      'carry everything there and back again, byte for byte: %s',
      async (format) => {
        using folder = makeFolder();
        const [one, two, three] = [
          await makePlace(folder, 'one.db'),
          await makePlace(folder, 'two.db'),
          await makePlace(folder, 'three.db'),
        ];
        expect(await importText(oddAnimals, one)).toMatchObject({ status: 0 });
        expect(await exported(one)).toBe(oddAnimals);
        const text = await exported(one, format);
        expect(await importText(text, two)).toMatchObject({ status: 0 });
        expect(await exported(two, format)).toBe(text);
        expect(await importText(text, three, '--keep-ids')).toMatchObject({ status: 0 });
        expect(await exported(three)).toBe(oddAnimals);
      },
    );

    it('keep ids with gaps, and the next id comes after them', async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'shop.db');
      const text = '{"id":5,"name":"A","categoryId":1}\n{"id":9007199254740993,"name":"B","categoryId":2}\n';
      expect(await importText(text, place, '--keep-ids')).toMatchObject({ status: 0 });
      expect(await exported(place)).toBe(text);
      expect(await importText('{"name":"C","categoryId":3}', place)).toMatchObject({ status: 0 });
      const last = (await exported(place)).trimEnd().split('\n').at(-1);
      expect(last).toBe('{"id":9007199254740994,"name":"C","categoryId":3}');
      const taken = await importText('{"id":6,"name":"D","categoryId":4}', place, '--keep-ids');
      expect(taken).toMatchObject({ status: 1, stdout: '' });
      expect(taken.stderr).toContain('begin with 6, and the store has ids up to 9007199254740994');
      const unordered = '{"id":9007199254740999,"name":"D","categoryId":4}\n'.repeat(2);
      const refused = await importText(unordered, place, '--keep-ids');
      expect(refused.stderr).toContain('line 2: id must be larger than 9007199254740999, which is above it.');
      expect((await exported(place)).split('\n')).toHaveLength(4);
    });

    it('does not add a file twice unless it is told to', async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'shop.db');
      const text = '{"name":"A","categoryId":1}\n{"name":"B","categoryId":2}\n';
      expect((await importText(text, place)).stdout).toMatch(/^Added 2 animals in /);
      const second = await importText(text, place);
      expect(second).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing was added') });
      expect((await exported(place)).split('\n')).toHaveLength(3);
      expect((await importText(text, place, '--again')).stdout).toMatch(/^Added 2 animals in /);
      expect((await exported(place)).split('\n')).toHaveLength(5);
      expect((await importText(text, place)).stdout).toContain('Nothing was added');
    });

    it('refuses a file with bad rows whole, or collects them', async () => {
      using folder = makeFolder();
      const place = await makePlace(folder, 'shop.db');
      const rows = ['{"name":"A","categoryId":1}', '{"name":"B"}', 'nonsense', '{"name":"C","categoryId":3}'];
      const refused = await importText(rows.join('\n'), place);
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      expect(refused.stderr).toContain('line 2: categoryId is required.\nline 3: This is not JSON.\n');
      expect(refused.stderr).toEndWith(
        'petstore: 2 rows of 4 cannot be imported, so nothing was written. Mend the file, or collect them with --rejects FILE.\n',
      );

      const rejects = join(folder.path, 'rejects.ndjson');
      const taken = await importText(rows.join('\n'), place, '--rejects', rejects);
      expect(taken).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^Added 2 animals in .* 2 bad rows are in .*rejects\.ndjson\.\n$/),
      });
      expect(taken.stderr).toContain('line 2: categoryId is required.\n');
      expect(readFileSync(rejects, 'utf8')).toBe(
        '{"line":2,"problem":"categoryId is required.","text":"{\\"name\\":\\"B\\"}"}\n' +
          '{"line":3,"problem":"This is not JSON.","text":"nonsense"}\n',
      );
      expect(await exported(place)).toBe(
        '{"id":1,"name":"A","categoryId":1}\n{"id":2,"name":"C","categoryId":3}\n',
      );
    });
  });
}

describe('petstore import', () => {
  it('writes nothing at all when a row is bad, not even a store', async () => {
    using folder = makeFolder();
    const { status } = await runCli(['import'], { input: '{"name":"A"}', cwd: folder.path });
    expect({ status, files: readdirSync(folder.path) }).toEqual({ status: 1, files: [] });
  });

  it('reports the first bad rows and counts the others', async () => {
    using folder = makeFolder();
    const { stderr } = await importText('{}\n'.repeat(1234), folder.database);
    expect(stderr.match(/^line \d+: /gm)).toHaveLength(20);
    expect(stderr).toContain('… and 1,214 more.\n');
  });

  it.each([
    ['animals.csv', 'name,categoryId\nRex,1\n'],
    ['animals.json', '[{"name":"Rex","categoryId":1}]'],
    ['animals.txt', '{"categoryId":1,"name":"Rex"}'],
  ])('knows the format of %s by its content', async (name, text) => {
    using folder = makeFolder();
    const path = join(folder.path, name);
    writeFileSync(path, text);
    expect(await runCli(['import', path, '--database-url', folder.database])).toMatchObject({ status: 0 });
    expect(await exported(folder.database)).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
  });

  it.each(['-', '/dev/stdin'])(
    'reads a pipe, which cannot be read twice, as %s and leaves no temporary file',
    async (name) => {
      using folder = makeFolder();
      using temporary = makeFolder();
      const command = petstoreCommand(['import', name, '--database-url', folder.database]);
      const script = 'seq 50000 | sed \'s/.*/{"name":"Animal &","categoryId":&}/\' | "$@"';
      const shell = Bun.spawn(['sh', '-c', script, 'sh', ...command], {
        env: cleanEnvironment({ TMPDIR: temporary.path }),
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 60_000,
      });
      const [stdout, status] = await Promise.all([shell.stdout.text(), shell.exited]);
      expect({ status, left: readdirSync(temporary.path) }).toEqual({ status: 0, left: [] });
      expect(stdout).toMatch(/^Added 50,000 animals in /);
      expect(await exported(folder.database)).toEndWith(
        '{"id":50000,"name":"Animal 50000","categoryId":50000}\n',
      );
    },
  );

  it('adds nothing from an empty file', async () => {
    using folder = makeFolder();
    expect((await importText('', folder.database)).stdout).toMatch(/^Added 0 animals in /);
    expect((await importText('[]', folder.database)).stdout).toMatch(/^Added 0 animals in /);
    expect(await exported(folder.database)).toBe('');
    expect(await exported(folder.database, 'json')).toBe('[]\n');
  });

  it('adds to the store of a running service, which shows the animals at once', async () => {
    await using service = await startService();
    expect(await (await service.call('/v1/pets')).json()).toEqual([]);
    expect(await importText('{"name":"Rex","categoryId":1}\n', service.database)).toMatchObject({
      status: 0,
    });
    expect(await (await service.call('/v1/pets')).json()).toEqual([{ id: 1, name: 'Rex', categoryId: 1 }]);
    const created = await service.call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Ada","categoryId":1}',
    });
    expect(await created.json()).toMatchObject({ id: 2 });
  });

  it('needs no more memory for many animals than for few', async () => {
    using folder = makeFolder();
    const peak = async (count: number): Promise<number> => {
      const path = join(folder.path, `${count}.ndjson`);
      writeFileSync(
        path,
        '{"name":"A name of the usual length","categoryId":1,"status":"sold"}\n'.repeat(count),
      );
      const child = Bun.spawn(petstoreCommand(['import', path, '--database-url', `${path}.db`]), {
        env: cleanEnvironment(),
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: 100_000,
      });
      expect(await child.exited).toBe(0);
      return (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
    };
    const [medium, large] = [await peak(50_000), await peak(400_000)];
    // The file alone grew by 24 MB, its rows as objects by far more.
    expect(large - medium).toBeLessThan(60);
  });

  it.each([
    [
      ['import', 'missing.ndjson'],
      'The file missing.ndjson cannot be read (ENOENT). Check its path and rights.',
    ],
    [['import', '.'], '. is a folder. Name a file, or - for standard input.'],
    [
      ['import', '-', '--rejects', 'no/such/folder'],
      /^The file no\/such\/folder of --rejects cannot be written/,
    ],
  ])('says why it cannot: %j', async (args, message) => {
    const { status, stdout, stderr } = await runCli(args, { input: '{"name":"A","categoryId":1}' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    if (typeof message === 'string') expect(stderr).toBe(`petstore: ${message}\n`);
    else expect(stderr.replace('petstore: ', '')).toMatch(message);
  });

  it.each([
    [['import', 'a', 'b'], 'One file at a time: petstore import FILE'],
    [['import', '--format', 'xml'], '--format must be one of ndjson, json, csv, not "xml".'],
    [['import', '--fly'], "Unknown option '--fly'. See: petstore import --help"],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });

  it('does not write the bad rows over the file itself', async () => {
    using folder = makeFolder();
    const path = join(folder.path, 'animals.ndjson');
    writeFileSync(path, '{}\n');
    const { status } = await runCli(['import', path, '--rejects', path, '--database-url', folder.database]);
    expect({ status, text: readFileSync(path, 'utf8') }).toEqual({ status: 2, text: '{}\n' });
  });

  it('shows a bar on a terminal', async () => {
    using folder = makeFolder();
    const path = join(folder.path, 'animals.csv');
    writeFileSync(path, `name,categoryId\n${'Rex,1\n'.repeat(30_000)}`);
    const { status, screen } = await runOnTerminal(['import', path, '--database-url', folder.database]);
    expect(status).toBe(0);
    expect(screen).toMatch(/█+ checked 0\.2 MB of 0\.2 MB, [\d.]+ MB\/s/);
    expect(screen).toMatch(/█+ added 30,000 of 30,000, [\d,]+\/s/);
    expect(screen).toMatch(/Added 30,000 animals in [\d.]+ s\.\n$/);
    const { screen: asked } = await runOnTerminal(['import', '--database-url', folder.database]);
    expect(asked).toBe('petstore: Say what to import: petstore import FILE\n');
  });
});

describe('petstore export', () => {
  it('writes a file that appears whole, by its ending, and replaces none unasked', async () => {
    using folder = makeFolder();
    await importText('{"name":"Rex, Jr.","categoryId":1,"status":"sold"}\n', folder.database);
    const path = join(folder.path, 'animals.csv');
    const run = (...args: string[]) => runCli(['export', path, '--database-url', folder.database, ...args]);
    expect(await run()).toMatchObject({ status: 0, stdout: `Exported 1 animals to ${path}.\n` });
    expect(readFileSync(path, 'utf8')).toBe('id,name,categoryId,status\r\n1,"Rex, Jr.",1,sold\r\n');
    expect(await run()).toMatchObject({ status: 1, stderr: expect.stringContaining('exists') });
    expect(await run('--force', '--format', 'json')).toMatchObject({ status: 0 });
    expect(readFileSync(path, 'utf8')).toBe(
      '[\n{"id":1,"name":"Rex, Jr.","categoryId":1,"status":"sold"}\n]\n',
    );
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('says that there is no store, and makes none', async () => {
    using folder = makeFolder();
    const { status, stderr } = await runCli(['export', '--database-url', folder.database]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `petstore: There is no store at ${folder.database}.\n`,
    });
    expect(existsSync(folder.database)).toBe(false);
  });

  it('ends quietly when its reader has seen enough', async () => {
    using folder = makeFolder();
    await runCli(['seed', '--count', '60000', '--database-url', folder.database]);
    const command = petstoreCommand(['export', '--database-url', folder.database]);
    const shell = Bun.spawn(
      ['bash', '-c', 'set -o pipefail; "$@" 2>errors | head -n 1', 'bash', ...command],
      {
        cwd: folder.path,
        env: cleanEnvironment(),
        stdout: 'pipe',
        timeout: 60_000,
      },
    );
    const [text, status] = await Promise.all([shell.stdout.text(), shell.exited]);
    expect(text).toStartWith('{"id":1,');
    expect(status).toBe(0);
    expect(readFileSync(join(folder.path, 'errors'), 'utf8')).not.toContain('petstore:');
  });
});

describe('petstore seed', () => {
  it('adds as many plausible animals as asked, the same ones for the same seed', async () => {
    using folder = makeFolder();
    const [one, two, other] = ['one.db', 'two.db', 'other.db'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    const run = (place: string, ...args: string[]) =>
      runCli(['seed', '--count', '21234', '--database-url', place, ...args]);
    expect(await run(one)).toMatchObject({ status: 0, stdout: 'Added 21,234 animals.\n' });
    await run(two);
    await run(other, '--seed', '2');
    const text = await exported(one);
    expect(text.trimEnd().split('\n')).toHaveLength(21_234);
    expect(await exported(two)).toBe(text);
    expect(await exported(other)).not.toBe(text);
    for (const status of ['"available"', '"pending"', '"sold"']) expect(text).toContain(`"status":${status}`);
    expect(text).toMatch(/"categoryId":\d+\}\n/);
  });

  it.each([
    [['seed'], 'Say how many: petstore seed --count NUMBER'],
    [['seed', '--count', '0'], '--count must be an integer from 1 to 1000000000, not "0".'],
    [['seed', '--count', '1e3'], '--count must be an integer from 1 to 1000000000, not "1e3".'],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});
