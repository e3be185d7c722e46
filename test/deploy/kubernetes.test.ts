import { describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { deployFolder, longestStopSeconds, readDeployFile, readYaml } from '../support/deploy/files.ts';
import { helpOf } from '../support/deploy/help.ts';
import { openService } from '../support/http/service.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  image: string;
  args: string[];
  envFrom: Record<string, { name: string }>[];
  env?: { name: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Pod {
  metadata: { labels: object; annotations?: Record<string, string> };
  spec: { containers: Container[]; terminationGracePeriodSeconds: number };
}

/** The parts of all kinds that are looked at here. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: object };
  data: Record<string, string>;
  stringData: Record<string, string>;
  spec: { selector: { matchLabels?: object }; podSelector: object; template: Pod };
}

const folder = join(deployFolder, 'kubernetes');
const files = [...new Bun.Glob('**/*.yaml').scanSync(folder)];
const read = (path: string): Manifest => readYaml(`kubernetes/${path}`) as Manifest;
const deployment = read('deployment.yaml');
const { template } = deployment.spec;
const container = template.spec.containers[0]!;
const settings = read('configmap.yaml').data;
const secret = Bun.YAML.parse(readDeployFile('kubernetes/secret.yaml.example')) as Manifest;

describe('the Kubernetes manifests', () => {
  it('have kinds, names and labels', () => {
    expect(files.length).toBeGreaterThanOrEqual(6);
    for (const file of files) {
      const { apiVersion, kind, metadata } = read(file);
      const name = kind === 'Job' ? 'petstore-migrate' : 'petstore';
      expect({ file, apiVersion, kind, metadata }).toEqual({
        file,
        apiVersion: expect.any(String),
        kind: expect.any(String),
        metadata: { name, labels: { 'app.kubernetes.io/name': name } },
      });
    }
  });

  it('select the pods of the deployment', () => {
    const { labels } = template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(read('service.yaml').spec.selector).toEqual(labels);
    const selectors = ['pod-disruption-budget.yaml', 'network-policy.yaml'].map((file) => {
      const { selector, podSelector } = read(file).spec;
      return selector ?? podSelector;
    });
    expect(selectors).toEqual([{ matchLabels: labels }, { matchLabels: labels }]);
  });

  it('name the ports that the service listens on', () => {
    const { port, metricsPort } = parseServeOptions([], settings);
    expect(container.ports).toEqual([
      { name: 'api', containerPort: port },
      { name: 'metrics', containerPort: metricsPort! },
    ]);
    expect(template.metadata.annotations?.['prometheus.io/port']).toBe(String(metricsPort));
    const named = files.flatMap((file) =>
      [...readDeployFile(`kubernetes/${file}`).matchAll(/(?:targetPort|\bport): ([a-z]+)/g)].map(
        ([, name]) => name,
      ),
    );
    expect(new Set(named)).toEqual(new Set(['api', 'metrics']));
  });

  it('probe paths of the service', async () => {
    await using service = await openService();
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/livez', '/livez', '/readyz']);
    for (const { httpGet } of probes) {
      const response = await service.app.fetch(new Request(`http://localhost${httpGet.path}`));
      expect(response.status).toBe(200);
    }
  });

  it('set variables that petstore serve knows, to values that it accepts', async () => {
    const { variables } = await helpOf('serve');
    const environment = { ...settings, ...secret.stringData };
    const set = [...Object.keys(environment), ...(container.env ?? []).map(({ name }) => name)];
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    expect(parseServeOptions([], environment)).toMatchObject({ workers: 1, stopDelaySeconds: 10 });
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'petstore' } },
      { secretRef: { name: secret.metadata.name } },
    ]);
  });

  it('run commands that exist, of this version', async () => {
    for (const { spec } of [template, read('optional/migrate.yaml').spec.template]) {
      const { image, args } = spec.containers[0]!;
      expect(image).toBe(`petstore:${version}`);
      await helpOf(...args);
    }
  });

  it('give the service time to stop', () => {
    const { stopDelaySeconds } = parseServeOptions([], settings);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      stopDelaySeconds + longestStopSeconds,
    );
  });

  it('apply no secret together with the rest', () => {
    const kinds = files.map((file) => read(file).kind);
    expect(kinds).not.toContain('Secret');
    expect(secret).toMatchObject({
      kind: 'Secret',
      stringData: { DATABASE_URL: expect.stringContaining(':PASSWORD@') },
    });
    expect(readdirSync(folder)).toContain('secret.yaml.example');
  });
});
