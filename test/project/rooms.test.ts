import { describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const project = join(import.meta.dir, '../..');

/** Every room of the house, from the top down. An import stays in its room or points down this list. */
const rooms = `
  packages/testkit src/embed.ts src/cli src/server src/http src/stores/open.ts src/stores/backups src/stores/sqlite
  src/stores/postgres src/stores src/metrics src/system packages/web src/domain packages/client`.match(
  /\S+/g,
)!;
const importNothing = ['src/domain', 'packages/client', 'packages/testkit/src/conform'];

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const roomOf = (path: string) => rooms.findIndex((room) => isIn(path, room));
const filesOf = (...patterns: string[]) =>
  patterns
    .flatMap((pattern) => Array.from(new Bun.Glob(pattern).scanSync(project)))
    .filter((path) => !path.includes('node_modules'));
const files = filesOf('src/**/*.{ts,tsx,mjs}', 'packages/*/src/**/*.{ts,tsx,mjs}');
const importsOf = (file: string) => {
  const found = readFileSync(join(project, file), 'utf8').matchAll(
    /(?:from|import)\s*\(?\s*'(\.[^']+\.\w*[jt]sx?)'/g,
  );
  return Array.from(found, ([, path = '']) => ({ from: file, to: normalize(join(dirname(file), path)) }));
};
const imports = files.flatMap(importsOf);
const shown = (found: typeof imports) => found.map(({ from, to }) => `${from} imports ${to}`);

describe('the rooms', () => {
  it('hold every file, and every import points down', () => {
    expect(Array.from(new Set(files.map(roomOf))).toSorted((one, other) => one - other)).toEqual([
      ...rooms.keys(),
    ]);
    expect(shown(imports.filter(({ from, to }) => roomOf(to) < roomOf(from)))).toEqual([]);
  });

  it.each(importNothing)('let %s import only its own files', (room) => {
    expect(shown(imports.filter(({ from, to }) => isIn(from, room) && !isIn(to, room)))).toEqual([]);
  });

  it.each(['packages/web', 'packages/client'])('let others see one module of %s', (room) => {
    const seen = imports.filter(({ from, to }) => !isIn(from, room) && isIn(to, room));
    expect([...new Set(seen.map(({ to }) => to))]).toEqual([`${room}/src/index.ts`]);
  });

  it('have no two folders that import each other, unless one is inside the other', () => {
    const pairs = new Set(imports.map(({ from, to }) => `${dirname(from)} ${dirname(to)}`));
    const isApart = (one: string, other: string) => !isIn(one, other) && !isIn(other, one);
    const circles = [...pairs].filter((pair) => {
      const [from = '', to = ''] = pair.split(' ');
      return isApart(from, to) && pairs.has(`${to} ${from}`);
    });
    expect(circles).toEqual([]);
  });

  it('let no command import another', () => {
    const inCli = (path: string) => isIn(path, 'src/cli');
    // A command is a file, or a folder with its parts.
    const nameOf = (path: string) => path.split('/')[2];
    const defines = (path: string) => readFileSync(join(project, path), 'utf8').includes('function define(');
    const commands = new Set(files.filter((file) => inCli(file) && defines(file)).map(nameOf));
    const others = imports
      .filter(({ from, to }) => inCli(from) && inCli(to) && nameOf(from) !== nameOf(to))
      .filter(({ from }) => nameOf(from) !== 'program.ts');
    expect(commands.size).toBeGreaterThan(10);
    expect(shown(others.filter(({ to }) => commands.has(nameOf(to))))).toEqual([]);
  });

  it('have no import cycles between files', () => {
    // What imports nothing that is left cannot be on a circle; what remains in the end is.
    let left = [...imports, ...filesOf('bench/**/*.{ts,mjs}').flatMap(importsOf)];
    for (let before = Infinity; left.length < before;) {
      before = left.length;
      const importers = new Set(left.map(({ from }) => from));
      left = left.filter(({ to }) => importers.has(to));
    }
    expect(shown(left)).toEqual([]);
  });
});

it('no script imports from the tests', () => {
  const ofScripts = filesOf('scripts/**/*.{ts,mjs}').flatMap(importsOf);
  expect(ofScripts.length).toBeGreaterThan(0);
  expect(shown(ofScripts.filter(({ to }) => isIn(to, 'test')))).toEqual([]);
});
