// Checks deploy/prometheus and the metrics of a running service with Prometheus' own programs.
//   bun test/deploy/check-prometheus.ts       needs promtool and prometheus: apt-get install prometheus
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf } from '../../scripts/command.ts';
import { freePort } from '../support/http/free-port.ts';
import { dashboardExpressions, rulesFile } from './expressions.ts';
import { metricsUrl, scrape } from '../support/metrics/scrape.ts';
import { makeFolder, startService } from '../support/process/process.ts';
import { report, untilTrue } from './report.ts';

const requests = 25;
const patienceMs = 60_000;
const rules = dirname(rulesFile);

await promtool(['check', 'config', join(rules, 'prometheus.yml')]);
await promtool(['check', 'config', join(rules, 'compose.yml')]);
await promtool(['test', 'rules', join(rules, 'alerts.test.yml')]);

await using service = await startService({ args: ['--metrics-port', '0'] });
const url = await metricsUrl(service);
for (let count = 0; count < requests; count++) await service.call('/v1/pets');
await promtool(['check', 'metrics'], (await scrape(url)).text);

using folder = makeFolder();
const port = await freePort();
const prometheus = startPrometheus(folder.path, [new URL(url).host], port);
try {
  const counted = 'sum(http_server_request_duration_seconds_count{http_route="/v1/pets"})';
  await untilTrue(`Prometheus counts ${requests} lists`, async () => {
    const [sample] = await query(counted);
    return Number(sample?.value[1]) === requests;
  });
  for (const { usedBy, promql } of await dashboardExpressions()) {
    await query(promql).catch((error: unknown) => {
      throw new Error(`Prometheus refuses the query of ${usedBy}.`, { cause: error });
    });
  }
  report('Prometheus answers every query of the dashboard');
} finally {
  prometheus.kill();
  await prometheus.exited;
}

async function promtool(args: string[], input = ''): Promise<void> {
  await outputOf(['promtool', ...args], { input });
  report(`promtool ${args.slice(0, 2).join(' ')}`);
}

/** Starts a Prometheus on our rules that scrapes the service every second. */
function startPrometheus(place: string, targets: string[], webPort: number): Bun.Subprocess {
  mkdirSync(join(place, 'data'));
  cpSync(rulesFile, join(place, 'alerts.yml'));
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'petstore', static_configs: [{ targets }] }],
  };
  writeFileSync(join(place, 'prometheus.yml'), Bun.YAML.stringify(configuration, null, 2));
  return Bun.spawn(
    [
      'prometheus',
      `--config.file=${join(place, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(place, 'data')}`,
      `--web.listen-address=127.0.0.1:${webPort}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore'], timeout: 2 * patienceMs },
  );
}

async function query(promql: string): Promise<{ value: [number, string] }[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(promql)}`);
  const body = (await response.json()) as {
    data?: { result: { value: [number, string] }[] };
    error?: string;
  };
  if (!body.data) throw new Error(body.error ?? `Prometheus responds with ${response.status}.`);
  return body.data.result;
}
