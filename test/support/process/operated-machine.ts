import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { run, type Ended } from './package.ts';
import { cleanEnvironment, makeFolder } from './process.ts';
import { startProgram, type RunningProgram } from './running.ts';

/** What stands in for a machine with systemd: a folder for its root, without the rights of root. */
export interface OperatedMachine extends AsyncDisposable {
  /** What a line of the document becomes on this machine. */
  translate(text: string): string;
  /** Runs commands in the operator's folder as one shell. */
  run(script: string): Promise<Ended>;
  /** What an installed unit and its drop-ins set, by name. */
  readUnit(name: string): UnitSettings;
  /** Runs a job to its end, as systemd does. */
  runJob(name: string): Promise<Ended>;
  start(): Promise<void>;
  stop: RunningProgram['stop'];
}

type UnitSettings = Record<string, string[]>;

const fixtures = join(import.meta.dir, '../../fixtures');

/**
 * The operator is in a folder with the files of a release or a clone, and gets a certificate there. `replacements` adapt
 * the document's text.
 */
export function makeOperatedMachine(cwd: string, replacements: Record<string, string>): OperatedMachine {
  const folder = makeFolder();
  const root = join(folder.path, 'root');
  const settings = join(root, 'etc/petstore/petstore.env');
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  cpSync(join(fixtures, 'localhost.pem'), join(cwd, 'cert.pem'));
  cpSync(join(fixtures, 'localhost-key.pem'), join(cwd, 'key.pem'));
  let service: RunningProgram | undefined;

  const translate = (text: string): string => {
    const [, address = ''] = /"message":"ready","address":"([^"]+)"/.exec(service?.stdout.text ?? '') ?? [];
    const [, metrics = ''] = /"address":"(http:[^"]+)\/metrics"/.exec(service?.stdout.text ?? '') ?? [];
    const known = {
      'https://pets.example': address.replace('127.0.0.1', 'localhost'),
      'http://127.0.0.1:9464': metrics,
      ...replacements,
    };
    const adapted = Object.entries(known).reduce((each, [from, to]) => each.replaceAll(from, to), text);
    const withoutRights = adapted
      .replaceAll(/\bsudo (?:-u petstore )?/g, '')
      .replaceAll(/-o \w+ -g \w+ /g, '');
    return below(root, withoutRights);
  };
  const environment = (additions: Record<string, string | undefined> = {}) =>
    cleanEnvironment({
      PATH: `${root}/usr/local/bin:${process.env['PATH']}`,
      // The settings file names it.
      AUDIT_LOG: undefined,
      CURL_CA_BUNDLE: join(cwd, 'cert.pem'),
      STOP_DELAY: '0',
      ...additions,
    });
  const readUnit = (name: string): UnitSettings => {
    const file = join(root, 'etc/systemd/system', name);
    const dropIns = readFolder(`${file}.d`).map((each) => join(`${file}.d`, each));
    return parseUnit([file, ...dropIns].map((each) => readFileSync(each, 'utf8')).join('\n'));
  };
  const commandOf = (name: string) => {
    const { ExecStart = [], Environment = [], EnvironmentFile = [] } = readUnit(name);
    const files = EnvironmentFile.map((file) => readFileSync(translate(file.replace(/^-/, '')), 'utf8'));
    // TMPDIR is the machine's own: other programs write there, too.
    const { TMPDIR: _, ...variables } = parseEnv(translate([...Environment, ...files].join('\n')));
    return { command: translate(ExecStart.at(-1) ?? '').split(' '), env: environment(variables) };
  };

  const machine: OperatedMachine = {
    translate,
    async run(script) {
      const ended = await run(['sh', '-ec', translate(script)], cwd, environment());
      if (existsSync(settings)) writeFileSync(settings, adaptSettings(readFileSync(settings, 'utf8'), root));
      return ended;
    },
    readUnit,
    async runJob(name) {
      const { command, env } = commandOf(name);
      return run(command, cwd, env);
    },
    async start() {
      const { command, env } = commandOf('petstore.service');
      const { stdout, ended } = (service = startProgram(command, { cwd, env }));
      const early = ended.then(() => Promise.reject(new Error(`It ended early:\n${stdout.text}`)));
      await Promise.race([stdout.untilMatch(/"message":"ready"/), early]);
    },
    async stop() {
      const stopping = service;
      service = undefined;
      return (await stopping?.stop()) ?? 0;
    },
    async [Symbol.asyncDispose]() {
      await machine.stop();
      folder[Symbol.dispose]();
    },
  };
  return machine;
}

/** Settings as they are installed, but with paths below the root, and with every port a free one. */
function adaptSettings(text: string, root: string): string {
  return below(root, text.replaceAll(/^(\w*PORT)=.*/gm, '$1=0'));
}

/** Moves the paths of a machine below a folder; those that are there already stay. */
function below(root: string, text: string): string {
  return text.replaceAll(/(?<![\w.])\/(?=etc\/|var\/|usr\/local\/)/g, `${root}/`);
}

/** An empty value takes back what was set before, as in systemd. */
function parseUnit(text: string): UnitSettings {
  const settings: UnitSettings = {};
  for (const [, name = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    settings[name] = value === '' ? [] : [...(settings[name] ?? []), value];
  }
  return settings;
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
}
