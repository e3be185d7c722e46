import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { ruleExpressions } from './expressions.ts';

const project = join(import.meta.dir, '../..');
const operations = await Bun.file(join(project, 'docs/operations.md')).text();
const [, runbook = ''] = operations.split(/^## Runbook$/m);

describe('the runbook', () => {
  it('has a paragraph for every alert, in the same order', async () => {
    const headings = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    const alerts = (await ruleExpressions()).filter(({ isRecorded }) => !isRecorded);
    expect(headings).toEqual(alerts.map(({ usedBy }) => usedBy));
  });

  it('quotes log lines that the service writes', async () => {
    const quotes = runbook.matchAll(/log\s+lines?\s+`([^`]+)`(?:[^.`]*`\w+`)*(?:, and `([^`]+)`)?/g);
    const quoted = [...quotes]
      .flatMap(([, ...lines]) => lines.filter((line) => line !== undefined))
      .map((line) => line.replaceAll(/\s+/g, ' '));
    const files = Array.from(new Bun.Glob('src/**/*.ts').scanSync(project), (file) => join(project, file));
    const sources = await Promise.all(files.map((file) => Bun.file(file).text()));
    const isLogged = (line: string) =>
      ['log.error', 'log?.error', 'log.warn'].some((call) =>
        sources.some((text) => text.includes(`${call}('${line}'`)),
      );
    expect(quoted).toHaveLength(5);
    expect(quoted.filter((line) => !isLogged(line))).toEqual([]);
  });
});
