import { describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const project = join(import.meta.dir, '../..');
const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');

const filesOf = (patterns: string[]): string[] =>
  patterns.flatMap((pattern) => Array.from(new Bun.Glob(pattern).scanSync({ cwd: project, dot: true })));
const documents = filesOf(['*.md', 'docs/**/*.md', 'packages/*/*.md']);

describe('links between documents', () => {
  it('lead to files and headings that exist', async () => {
    const broken: string[] = [];
    for (const document of documents) {
      const text = await read(document);
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [path = '', heading] = target.split('#');
        const file = path === '' ? document : join(document, '..', path);
        const exists = await Bun.file(join(project, file)).exists();
        const isFound = exists && (heading === undefined || headingsOf(await read(file)).includes(heading));
        if (!isFound) broken.push(`${document}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });
});

describe('file names in documents', () => {
  it('exist', async () => {
    const files = filesOf(['{src,packages,test,torture,bench,scripts,deploy}/**/*', '*']);
    const missing: string[] = [];
    for (const document of documents) {
      for (const [, name = ''] of (await read(document)).matchAll(
        /`([\w.][\w./-]*\.(?:ts|tsx|sh|yaml|yml))`/g,
      )) {
        if (!files.some((file) => `/${file}`.endsWith(`/${name}`))) missing.push(`${document}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

describe('excerpts in essays', () => {
  it('stand in the file that they name, and name the release', async () => {
    const essays = documents.filter((document) => document.startsWith('docs/essays/'));
    expect(essays).toHaveLength(3);
    const { version } = (await Bun.file(join(project, 'package.json')).json()) as { version: string };
    const wrong: string[] = [];
    for (const essay of essays) {
      const excerpts = [...(await read(essay)).matchAll(/^(.*)\n\n```ts\n([^]*?)^```$/gm)];
      expect(excerpts.length).toBeGreaterThan(1);
      for (const [, line = '', code = ''] of excerpts) {
        const [, file] = /^From `(.+)`, (.+):$/.exec(line) ?? [];
        const isThere = file !== undefined && flush(await read(file)).includes(flush(code));
        if (!isThere || !line.endsWith(`, ${version}:`)) wrong.push(`${essay}: ${line}\n${code}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** The formatter moves an excerpt to the left. */
function flush(code: string): string {
  return code.replaceAll(/^ +/gm, '');
}

/** The anchors that the platform makes of the headings. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
