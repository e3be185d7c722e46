import { describe, expect, it } from 'bun:test';
import { Database } from 'bun:sqlite';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { post, rex } from '../support/http/calls.ts';
import { rulesFile } from '../support/metrics/expressions.ts';
import { childrenOf } from '../support/process/process-tree.ts';
import { endProcess, startService, type Service } from '../support/process/process.ts';

interface Rules {
  groups: { rules: { alert?: string; annotations?: { runbook?: string } }[] }[];
}

const { groups } = Bun.YAML.parse(await Bun.file(rulesFile).text()) as Rules;
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
const operations = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text();
const [, runbook = ''] = operations.split(/^## Runbook$/m);
const headings = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);

/** What makes a service with two workers log each line that the runbook quotes. */
const provocations: Record<string, (service: Service) => Promise<unknown>> = {
  'requests without a valid key': (service) => service.callWith('wrong', '/v1/pets'),
  'A worker died and is restarted.': async ({ pid }) => childrenOf(pid).forEach(endProcess),
  'requests are refused': async (service) => {
    // The service notices within a quarter of a second that its store is gone.
    renameSync(service.database, `${service.database}.moved`);
    while ((await service.call('/v1/pets', post(rex))).status !== 503) await Bun.sleep(20);
  },
  'request failed': async (service) => {
    using database = new Database(service.database);
    database.run("CREATE TRIGGER bug BEFORE INSERT ON pets BEGIN SELECT RAISE(ABORT, 'a bug'); END");
    await service.call('/v1/pets', post(rex));
  },
};

describe('the runbook', () => {
  it('has a paragraph for every alert, in the same order', () => {
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
  });

  it('is named by every alert', () => {
    expect(alerts.map(({ annotations }) => annotations?.runbook)).toEqual(
      alerts.map(({ alert }) => `operations.md of the release, section ${alert}`),
    );
  });
});

describe('a log line that the runbook quotes', () => {
  const quoted = [
    ...runbook.matchAll(/log\s+lines?\s+`([^`]+)`(?:[^.`]*`\w+`)*(?:, and `([^`]+)`)?/g),
  ].flatMap(([, ...lines]) => lines.flatMap((line) => (line === undefined ? [] : [oneLine(line)])));

  it('is provoked here', () => {
    expect(new Set(quoted)).toEqual(new Set([...Object.keys(provocations), 'crash']));
  });

  it.each(Object.entries(provocations))('is logged: %s', async (line, provoke) => {
    await using service = await startService({ workers: 2 });
    await provoke(service);
    await service.untilLogged(new RegExp(`"message":${RegExp.escape(JSON.stringify(line))}`));
  });

  it('is logged: crash', async () => {
    const sources = join(import.meta.dir, '../../src');
    const program = `
      import { createLog } from '${sources}/system/log.ts';
      import { catchCrashes } from '${sources}/system/signals.ts';
      catchCrashes(createLog({ level: 'info', write: (line) => process.stdout.write(line) }));
      setTimeout(() => { throw new Error('a bug'); });`;
    const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ message: 'crash' });
    expect(await child.exited).toBe(1);
  });
});

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
