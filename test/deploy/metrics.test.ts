import { beforeAll, describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '../../src/metrics/registry.ts';
import { openPostgresStore } from '../../src/stores/postgres/open.ts';
import { dashboardExpressions, readsOf, ruleExpressions } from './expressions.ts';
import { metricsUrl, readScrape, scrape, type Scrape } from '../support/metrics/scrape.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { runCli, startService } from '../support/process/process.ts';

/** Labels that Prometheus adds, or that come with a histogram. */
const labelsOfPrometheus = ['job', 'instance', 'le'];

let scraped: Scrape;

/** All that there is: of a service on SQLite, of one on PostgreSQL, and of a check and a rehearsal of backups. */
beforeAll(async () => {
  const [cert, key] = ['localhost.pem', 'localhost-key.pem'].map((name) =>
    join(import.meta.dir, '../fixtures', name),
  );
  const args = ['--metrics-port', '0', '--tls-cert', cert!, '--tls-key', key!];
  await using service = await startService({ args });
  await runCli(['keys', 'create', '--name', 'till', '--expires', '1d', '--database-url', service.database]);
  const textfile = join(service.folder, 'petstore.prom');
  let ofBackups = '';
  for (const command of ['check', 'rehearse']) {
    await runCli(['backups', command, service.folder, '--textfile', textfile]);
    ofBackups += readFileSync(textfile, 'utf8');
  }
  const { text } = await scrape(await metricsUrl(service));

  const registry = createRegistry();
  const { address } = await makePostgresPlace();
  const store = await openPostgresStore({ address, metrics: registry });
  scraped = readScrape(text + (await registry.render()) + ofBackups);
  await store.close();
});

describe('the alert rules and the dashboard', () => {
  it('use metrics and labels that exist', async () => {
    const rules = await ruleExpressions();
    const known = new Set([
      ...scraped.names,
      ...rules.filter(({ isRecorded }) => isRecorded).map(({ usedBy }) => usedBy),
      'up',
    ]);
    for (const { usedBy, promql } of [...rules, ...(await dashboardExpressions())]) {
      const { metrics, labels } = readsOf(promql);
      expect(metrics, usedBy).not.toEqual([]);
      expect(
        metrics.filter((name) => !known.has(name)),
        usedBy,
      ).toEqual([]);
      const unknownLabels = labels.filter(
        (label) => !labelsOfPrometheus.includes(label) && !scraped.text.includes(`${label}="`),
      );
      expect(unknownLabels, usedBy).toEqual([]);
    }
  });
});

describe('the test of the alert rules', () => {
  it('provokes every alert', async () => {
    const tests = await Bun.file(`${import.meta.dir}/../../deploy/prometheus/alerts.test.yml`).text();
    const provoked = [...tests.matchAll(/alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:\n/g)].map(
      ([, name]) => name,
    );
    const alerts = (await ruleExpressions()).filter(({ isRecorded }) => !isRecorded);
    expect(alerts.map(({ usedBy }) => usedBy).filter((name) => !provoked.includes(name))).toEqual([]);
  });
});
