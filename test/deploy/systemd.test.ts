import { describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import {
  deployFolder,
  foreignVariable,
  longestStopSeconds,
  readDeployFile,
} from '../support/deploy/files.ts';
import { helpOf, readCommandLine } from '../support/deploy/help.ts';
import { parseUnit, type Unit } from '../support/deploy/unit.ts';
import { ruleExpressions } from '../support/metrics/expressions.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

const names = readdirSync(join(deployFolder, 'systemd'));
const read = (name: string): Unit => parseUnit(readDeployFile(`systemd/${name}`));
const services = names.filter((name) => name.endsWith('.service'));
const timers = names.filter((name) => name.endsWith('.timer'));
const settingsFile = readDeployFile('systemd/petstore.env');

describe('the systemd units', () => {
  it('run commands and options that exist', async () => {
    expect(services).toHaveLength(4);
    for (const name of services) {
      const { command, flags } = readCommandLine(read(name).one('Service', 'ExecStart') ?? '');
      const help = await helpOf(...command);
      for (const flag of flags) expect([...help.flags], name).toContain(flag);
    }
  });

  it('start until the service is ready, and stop without a wait for a load balancer', async () => {
    const service = read('petstore.service');
    const line = service.one('Service', 'ExecStartPost') ?? '';
    // Without the dash, a service that only reads, as on a full disk, would be stopped.
    expect(line).toStartWith('-/usr/local/bin/petstore health --wait ');
    expect([...(await helpOf('health')).flags]).toContain('--wait');
    const settings = parseEnv(service.all('Service', 'Environment').join('\n'));
    expect(parseServeOptions([], settings)).toMatchObject({ stopDelaySeconds: 0 });
  });

  it('set variables that petstore serve knows', async () => {
    const { variables } = await helpOf('serve');
    const inUnits = services.flatMap((name) =>
      read(name)
        .all('Service', 'Environment')
        .map((assignment) => assignment.split('=')[0] ?? ''),
    );
    const inFile = [...settingsFile.matchAll(/^(?:# )?([A-Z_0-9]+)=/gm)].map(([, name = '']) => name);
    expect(inFile).toContain('DATABASE_URL');
    const unknown = [...inUnits, ...inFile].filter(
      (name) => !variables.has(name) && !foreignVariable.test(name),
    );
    expect(unknown).toEqual([]);
  });

  it('have settings that petstore serve accepts, with all alternatives, too', () => {
    const uncommented = settingsFile.replaceAll(/^# (?=[A-Z_0-9]+=)/gm, '');
    for (const text of [settingsFile, uncommented]) {
      const options = parseServeOptions([], parseEnv(text));
      expect(options).toMatchObject({ metricsHost: '127.0.0.1', metricsPort: 9464 });
    }
    expect(parseServeOptions([], parseEnv(settingsFile))).toMatchObject({ host: '127.0.0.1', port: 8080 });
  });

  it('take the same rights away from every service, and share the store', () => {
    const own = new Set([
      ...['Type', 'ExecStart', 'ExecStartPost', 'Environment', 'StateDirectory', 'Nice', 'ReadWritePaths'],
    ]);
    const aboutService = /^(?:Restart|TimeoutStop|KillMode|LimitNOFILE)/;
    const [first = [], ...others] = services.map((name) =>
      read(name)
        .lines('Service')
        .filter((line) => !own.has(line.split('=')[0] ?? '') && !aboutService.test(line)),
    );
    expect(first).toContain('ProtectSystem=strict');
    for (const other of others) expect(other).toEqual(first);
    for (const name of services) {
      const service = read(name);
      const usesStore = /petstore (?:serve|backup)(?: |$)/.test(service.one('Service', 'ExecStart') ?? '');
      const store = service.all('Service', 'Environment').filter((line) => line.startsWith('DATABASE_URL='));
      expect(store).toEqual(usesStore ? ['DATABASE_URL=/var/lib/petstore/petstore.db'] : []);
      expect(service.one('Service', 'StateDirectory')?.split(' ')[0]).toBe('petstore');
    }
    expect(readDeployFile('systemd/petstore.sysusers')).toContain('\nu petstore ');
  });

  it('give the service time to stop', () => {
    const seconds = Number(read('petstore.service').one('Service', 'TimeoutStopSec'));
    const { stopDelaySeconds } = parseServeOptions([], { STOP_DELAY: '5' });
    expect(seconds).toBeGreaterThanOrEqual(stopDelaySeconds + longestStopSeconds);
  });

  it('have a service for every timer, and back up where the rehearsal and the check look', () => {
    expect(timers).toHaveLength(3);
    const places = timers.map((name) => {
      const line = read(name.replace(/timer$/, 'service')).one('Service', 'ExecStart') ?? '';
      return /\/var\/lib\/[\w-]+\//.exec(line)?.[0];
    });
    expect(new Set(places)).toEqual(new Set(['/var/lib/petstore-backups/']));
  });

  it('check the backups with the limits of the alerts, and may write what node_exporter reads', async () => {
    const check = read('petstore-backups-check.service');
    const line = check.one('Service', 'ExecStart') ?? '';
    expect(line).toContain('--max-age 2h --max-rehearsal-age 8d');
    const limits = (await ruleExpressions()).flatMap(
      ({ promql }) => /time\(\).*> ([\d* ]+)/.exec(promql)?.[1] ?? [],
    );
    expect(limits.map((limit) => limit.trim())).toEqual(['2 * 60 * 60', '8 * 24 * 60 * 60']);
    const folder = check.one('Service', 'ReadWritePaths')?.replace(/^-/, '');
    expect(line).toEndWith(` --textfile ${folder}/petstore.prom`);
  });
});
