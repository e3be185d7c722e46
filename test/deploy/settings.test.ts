import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { version } from '../../package.json';
import { deployFolder, readDeployFile, readYaml } from './files.ts';
import { runCli } from '../support/process/process.ts';
import { openService } from '../support/http/service.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

/** After `STOP_DELAY`, the service takes this long at most to finish what is under way. */
const longestStopSeconds = 20;

interface ComposeService {
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  volumes?: string[];
  stop_grace_period?: string;
}

interface Container {
  image: string;
  args: string[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Manifest {
  kind: string;
  data: Record<string, string>;
  stringData: Record<string, string>;
  spec: {
    selector: { matchLabels?: object };
    podSelector: object;
    template: {
      metadata: { labels: object };
      spec: { containers: Container[]; terminationGracePeriodSeconds: number };
    };
  };
}

const compose = readYaml('compose.yaml') as {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
};
const petstore = compose.services['petstore'] ?? {};

const dockerfile = readDeployFile('Dockerfile');
/** All that is said about the image itself, after the stage that builds the executable. */
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const instruction = (name: string): string => new RegExp(`^${name} (.+)$`, 'm').exec(image)?.[1] ?? '';

const manifest = (path: string): Manifest => readYaml(`kubernetes/${path}`) as Manifest;
const { template, selector } = manifest('deployment.yaml').spec;
const pod = template.spec;
const secret = Bun.YAML.parse(readDeployFile('kubernetes/secret.yaml.example')) as Manifest;

const units = readdirSync(join(deployFolder, 'systemd')).filter((name) => name.endsWith('.service'));
const assignmentsOf = (unit: string, name: string): string[] =>
  [...readDeployFile(`systemd/${unit}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(
    ([, value = '']) => value,
  );
const settingsFile = readDeployFile('systemd/petstore.env');

/** What each way of running the service sets. */
const environments: Record<string, Record<string, string | undefined>> = {
  'compose.yaml': petstore.environment ?? {},
  Dockerfile: parseEnv(instruction('ENV').replaceAll(' ', '\n')),
  'kubernetes/': { ...manifest('configmap.yaml').data, ...secret.stringData },
  'systemd/petstore.env': parseEnv(settingsFile),
  'systemd/petstore.env with all alternatives': parseEnv(settingsFile.replaceAll(/^# (?=[A-Z_0-9]+=)/gm, '')),
  'systemd/petstore.service': parseEnv(assignmentsOf('petstore.service', 'Environment').join('\n')),
};
/** What other programs read, too: PostgreSQL's tools, S3 clients, temporary files; and what only the units read. */
const foreignVariable = /^(?:PG[A-Z]+|S3_[A-Z_]+|BACKUP_PLACE|TMPDIR|HOME|PATH)$/;

describe.each(Object.entries(environments))('%s', (_name, environment) => {
  it('sets only variables that petstore serve knows, to values that it accepts', async () => {
    const { variables } = await helpOf('serve');
    const names = Object.keys(environment);
    expect(names).not.toBeEmpty();
    expect(names.filter((name) => !variables.has(name) && !foreignVariable.test(name))).toEqual([]);
    parseServeOptions([], environment);
  });
});

describe('the files in deploy/', () => {
  it('run commands and options that exist', async () => {
    const lines = units
      .flatMap((unit) => assignmentsOf(unit, 'ExecStart'))
      .filter((line) => line.startsWith('/usr/local/bin/petstore '));
    expect(lines).toHaveLength(units.length - 1);
    const {
      containers: [container],
    } = pod;
    const commands = [
      ...lines.map(readCommandLine),
      { command: container?.args ?? [], flags: [] },
      ...['CMD', 'HEALTHCHECK'].map((name) => {
        const words = JSON.parse(/\[.*\]/.exec(instruction(name))?.[0] ?? '[]') as string[];
        return { command: words.filter((word) => word !== 'petstore'), flags: [] };
      }),
    ];
    expect(commands.length).toBeGreaterThan(6);
    for (const { command, flags } of commands) {
      const help = await helpOf(...command);
      for (const flag of flags) expect([...help.flags], command.join(' ')).toContain(flag);
    }
    expect(container?.image).toBe(`petstore:${version}`);
  });

  it('mount and build from files that exist', () => {
    const { context = '', dockerfile: name = '' } = petstore.build ?? {};
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const sources = mounts.map((volume) => volume.split(':')[0] ?? '');
    const missing = [join(context, name), ...sources].filter(
      (source) => !(source in compose.volumes) && !existsSync(join(deployFolder, source)),
    );
    expect(missing).toEqual([]);
  });

  it('run one of several services on a machine as they run a single one', () => {
    const linesOf = (unit: string) =>
      readDeployFile(`systemd/${unit}`)
        .replaceAll(/^#.*\n/gm, '')
        .split('\n');
    const [single, one] = [linesOf('petstore.service'), linesOf('petstore@.service')];
    expect(one.filter((line) => !single.includes(line))).toEqual([
      'Description=Petstore API on port %i',
      'ExecStart=/usr/local/bin/petstore serve --port %i --metrics-port 1%i',
      'ExecStartPost=-/usr/local/bin/petstore health --port %i --wait 60s',
      'EnvironmentFile=/etc/petstore/petstore.env',
    ]);
    expect(one).toHaveLength(single.length - 2);
  });

  it('give the service time to stop', () => {
    const stopDelay = (name: string) => parseServeOptions([], environments[name] ?? {}).stopDelaySeconds;
    const [unit = ''] = assignmentsOf('petstore.service', 'TimeoutStopSec');
    const spare = [
      Number.parseInt(petstore.stop_grace_period ?? '', 10) - stopDelay('compose.yaml'),
      pod.terminationGracePeriodSeconds - stopDelay('kubernetes/'),
      Number(unit) - stopDelay('systemd/petstore.service'),
    ];
    for (const seconds of spare) expect(seconds).toBeGreaterThanOrEqual(longestStopSeconds);
  });

  it('select the pods of the deployment, with ports and paths that they serve', async () => {
    const { labels } = template.metadata;
    const others = ['pod-disruption-budget.yaml', 'network-policy.yaml'].map((file) => manifest(file).spec);
    expect([selector, ...others.map((spec) => spec.selector ?? spec.podSelector)]).toEqual(
      Array(3).fill({ matchLabels: labels }),
    );
    expect(manifest('service.yaml').spec.selector).toEqual(labels);

    const container = pod.containers[0]!;
    const { port, metricsPort } = parseServeOptions([], environments['kubernetes/'] ?? {});
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual([port, metricsPort!]);
    const named = readdirSync(join(deployFolder, 'kubernetes'))
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) =>
        Array.from(readDeployFile(`kubernetes/${file}`).matchAll(/(?:targetPort|\bport): ([a-z]+)/g)),
      )
      .map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(container.ports.map(({ name }) => name)));

    await using service = await openService();
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      const response = await service.app.fetch(new Request(`http://localhost${httpGet.path}`));
      expect(response.status, httpGet.path).toBe(200);
    }
  });
});

/** What the help of a command names. */
interface Help {
  flags: Set<string>;
  variables: Set<string>;
}

async function helpOf(...command: string[]): Promise<Help> {
  const { stdout } = await runCli([...command, '--help']);
  // For a command that it does not know, the program shows the help of all.
  const usage = `Usage: petstore ${command.join(' ')} `;
  if (!stdout.startsWith(usage)) throw new Error(`There is no command ${command.join(' ')}.`);
  return {
    flags: new Set([...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag)),
    variables: new Set([...stdout.matchAll(/env:\s+([A-Z_]+)\)/g)].map(([, variable = '']) => variable)),
  };
}

/** The words of a command line that names `petstore`: its commands, and the flags that it is given. */
function readCommandLine(line: string): { command: string[]; flags: string[] } {
  const [, ...words] = line.split(/\s+/);
  const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
  return {
    command: end === -1 ? words : words.slice(0, end),
    flags: words.filter((word) => word.startsWith('--')),
  };
}
