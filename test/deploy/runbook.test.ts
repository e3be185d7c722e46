import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { rulesFile } from '../support/metrics/expressions.ts';

interface Rules {
  groups: { rules: { alert?: string; annotations?: { runbook?: string } }[] }[];
}

const { groups } = Bun.YAML.parse(await Bun.file(rulesFile).text()) as Rules;
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
const operations = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text();
const [, runbook = ''] = operations.split(/^## Runbook$/m);
const paragraphs = runbook
  .split(/^### /m)
  .slice(1)
  .map((section) => section.trim().split('\n\n'));

describe('the runbook', () => {
  it('has one paragraph for every alert, in the same order', () => {
    expect(paragraphs.map(([heading]) => heading)).toEqual(alerts.map(({ alert }) => alert));
  });

  it.each(paragraphs.map(([heading = '', ...texts]) => [heading, texts] as const))(
    'says in one paragraph what %s means, what callers see, where to look and what to do',
    (_heading, texts) => {
      expect(texts).toHaveLength(1);
      expect(texts[0]?.match(/(?<=\*\*)(?:Means|Callers\s+see|Look\s+at|Do)/g)?.map(oneLine)).toEqual([
        'Means',
        'Callers see',
        'Look at',
        'Do',
      ]);
    },
  );

  it('is named by every alert', () => {
    expect(alerts.map(({ annotations }) => annotations?.runbook)).toEqual(
      alerts.map(({ alert }) => `docs/operations.md#${alert?.toLowerCase()}`),
    );
  });
});

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
