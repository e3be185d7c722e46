import { describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  deployFolder,
  foreignVariable,
  longestStopSeconds,
  readDeployFile,
  readYaml,
} from '../support/deploy/files.ts';
import { helpOf } from '../support/deploy/help.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

interface ComposeService {
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  command?: string[];
  networks: string[] | Record<string, { aliases?: string[] } | null>;
  stop_grace_period?: string;
}

interface Compose {
  services: Record<'petstore' | 'postgres' | 'prometheus' | 'grafana', ComposeService>;
  volumes: Record<string, null>;
  networks: Record<string, { internal?: boolean } | null>;
}

const compose = readYaml('compose.yaml') as Compose;
const { petstore, prometheus, grafana } = compose.services;
const services = Object.values(compose.services);
const mounts = services.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')));

describe('compose.yaml', () => {
  it('mounts and builds from files that exist', () => {
    const { context = '', dockerfile = '' } = petstore.build ?? {};
    expect(existsSync(join(deployFolder, context, dockerfile))).toBe(true);
    for (const [source = ''] of mounts) {
      const isThere = source.startsWith('.')
        ? existsSync(join(deployFolder, source))
        : source in compose.volumes;
      expect({ source, isThere }).toEqual({ source, isThere: true });
    }
  });

  it('mounts the files that Prometheus and Grafana are told to read', () => {
    expect(prometheus.command).toContain('--config.file=/etc/prometheus/compose.yml');
    expect(prometheus.volumes).toContain('./prometheus:/etc/prometheus:ro');
    expect(existsSync(join(deployFolder, 'prometheus/compose.yml'))).toBe(true);
    const { providers } = readYaml('grafana/provisioning/dashboards/petstore.yml') as {
      providers: { options: { path: string } }[];
    };
    expect(grafana.volumes).toContain(
      `./grafana/petstore.json:${providers[0]?.options.path}/petstore.json:ro`,
    );
    const { datasources } = readYaml('grafana/provisioning/datasources/prometheus.yml') as {
      datasources: { url: string }[];
    };
    expect(new URL(datasources[0]?.url ?? '').hostname in compose.services).toBe(true);
  });

  it('sets variables that petstore serve knows, to values that it accepts', async () => {
    const { variables } = await helpOf('serve');
    const environment = petstore.environment ?? {};
    const unknown = Object.keys(environment).filter(
      (name) => !variables.has(name) && !foreignVariable.test(name),
    );
    expect(unknown).toEqual([]);
    expect(parseServeOptions([], environment)).toMatchObject({ port: 8080, metricsPort: 9464 });
  });

  it('has no password of its own, and does not start without one', () => {
    const secrets = [...readDeployFile('compose.yaml').matchAll(/PASSWORD: (.*)/g)].map(([, value]) => value);
    expect(secrets).toHaveLength(4);
    for (const secret of secrets) expect(secret).toMatch(/^\$\{\w+:\?.+\}$/);
  });

  it('opens ports to this machine alone, and neither metrics nor the database', () => {
    const opened = services.flatMap(({ ports = [] }) => ports);
    expect(opened).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:3000:3000']);
    expect(compose.networks['private']).toEqual({ internal: true });
  });

  it('serves metrics on the private network, where Prometheus finds them', () => {
    const { METRICS_HOST = '', METRICS_PORT = '' } = petstore.environment ?? {};
    expect(petstore.networks).toMatchObject({ private: { aliases: [METRICS_HOST] }, front: null });
    type Configuration = { scrape_configs: { static_configs: { targets: string[] }[] }[] };
    const inCompose = readYaml('prometheus/compose.yml') as Configuration;
    const expected = readYaml('prometheus/prometheus.yml') as Configuration;
    // There are no backups of ours, so nobody needs node_exporter.
    expected.scrape_configs = expected.scrape_configs.slice(0, 1);
    expected.scrape_configs[0]!.static_configs[0]!.targets = [`${METRICS_HOST}:${METRICS_PORT}`];
    expect(inCompose).toEqual(expected);
  });

  it('gives the service time to stop', () => {
    expect(Number.parseInt(petstore.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
      5 + longestStopSeconds,
    );
  });
});
