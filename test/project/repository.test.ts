import { describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram } from '../../src/cli/program.ts';

/** The files that the hosting platform and editors read. */

const project = join(import.meta.dir, '../..');
const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');

async function parseYaml(path: string): Promise<Record<string, unknown>> {
  return Bun.YAML.parse(await read(path)) as Record<string, unknown>;
}

describe('.github', () => {
  it('runs npm test on Linux and macOS', async () => {
    const { jobs } = await parseYaml('.github/workflows/test.yml');
    expect(jobs).toMatchObject({
      test: { strategy: { matrix: { os: ['ubuntu-latest', 'macos-latest'] } } },
    });
    expect((jobs as { test: { steps: object[] } }).test.steps).toContainEqual({ run: 'npm test' });
  });

  it('pins every action to a full version', async () => {
    const workflow = await read('.github/workflows/test.yml');
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(actions).not.toBeEmpty();
    for (const action of actions) expect(action).toMatch(/@v\d+\.\d+\.\d+$/);
  });

  it('keeps npm packages and actions up to date', async () => {
    const { updates } = await parseYaml('.github/dependabot.yml');
    expect(updates).toMatchObject([
      { 'package-ecosystem': 'npm' },
      { 'package-ecosystem': 'github-actions' },
    ]);
  });

  it.each(['bug', 'idea'])('has a form for every %s', async (name) => {
    const form = await parseYaml(`.github/ISSUE_TEMPLATE/${name}.yml`);
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    expect(form['body']).toContainEqual(expect.objectContaining({ validations: { required: true } }));
  });
});

describe('.editorconfig', () => {
  it('agrees with the formatter about the line length', async () => {
    const { printWidth } = JSON.parse(await read('.oxfmtrc.json')) as { printWidth: number };
    expect(await read('.editorconfig')).toContain(`max_line_length = ${printWidth}\n`);
  });
});

describe('SECURITY.md', () => {
  it('names a private channel and no address', async () => {
    const policy = await read('SECURITY.md');
    expect(policy).toContain('**Report a vulnerability**');
    expect(policy).not.toMatch(/[\w.]+@[\w.]+\.\w+|mailto:/);
  });
});

describe('what becomes of the pets', () => {
  it.each(['README.md', 'SECURITY.md'])('is told by %s, and what a lost disk loses', async (path) => {
    const text = (await read(path)).replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'An acknowledged pet survives a kill, a power cut and a full disk; a lost disk loses everything since the last ' +
        'backup, unless the store is PostgreSQL with a synchronous standby.',
    );
    expect(text).not.toMatch(/never (?:loses|lost)/);
  });
});

const filesOf = (patterns: string[]): string[] =>
  patterns.flatMap((pattern) => Array.from(new Bun.Glob(pattern).scanSync({ cwd: project, dot: true })));
const documents = filesOf(['*.md', 'docs/*.md', 'packages/*/*.md']);

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
  it('are those of files that exist', async () => {
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

describe('the commands of petstore', () => {
  const names = createProgram().commands.map((command) => command.name());
  const spellingsIn = async (path: string): Promise<string[]> => {
    const text = await read(path);
    const found = text.matchAll(new RegExp(`(?:npx )?\\bpetstore (?:${names.join('|')}|--?[a-z]+)\\b`, 'g'));
    return Array.from(found, ([spelling]) => spelling);
  };

  it('begin with npx in README.md, whose reader is in a checkout', async () => {
    const spellings = await spellingsIn('README.md');
    expect(spellings.length).toBeGreaterThan(10);
    expect(spellings.filter((spelling) => !spelling.startsWith('npx '))).toEqual([]);
  });

  it('stand alone in the help, the docs and all other pages, whose reader has it installed', async () => {
    const others = filesOf([
      '{docs,src,deploy}/**/*.{md,ts,yaml,yml}',
      'packages/*/src/**/*.{ts,tsx}',
      'packages/*/*.md',
    ]);
    for (const path of [...others, 'SECURITY.md', 'openapi.yaml', '.env.example']) {
      const spellings = await spellingsIn(path);
      expect(
        spellings.filter((spelling) => spelling.startsWith('npx ')),
        path,
      ).toEqual([]);
    }
  });
});

/** The anchors that the platform makes of the headings. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
