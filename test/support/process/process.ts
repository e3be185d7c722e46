import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings } from '../../../src/cli/settings.ts';
import { checkedFetch, type Call } from '../contract/conformance.ts';
import { project, run, type Ended } from './package.ts';
import { startProgram, type RunningProgram } from './running.ts';

const ownProgram = join(project, 'src/cli/petstore.ts');

export const kitPrograms = {
  sandbox: join(project, 'packages/testkit/src/cli/petstore-sandbox.ts'),
  conform: join(project, 'packages/testkit/src/cli/petstore-conform.ts'),
  mutants: join(project, 'packages/testkit/src/cli/petstore-mutants.ts'),
};

/**
 * The key that every service started here accepts, by way of `API_KEYS`. Other runs of the tests have other keys: a load
 * that outlives its service may reach one of theirs at the same port.
 */
export const fixedKey = `fixed-key-${randomUUID()}`;

export interface Folder extends Disposable {
  path: string;
  /** Where a store in this folder would be. */
  database: string;
}

export function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'));
  return {
    path,
    database: join(path, 'petstore.db'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

type Environment = Record<string, string | undefined>;

/** Variables by which a build server or a person decides about colour. */
const aboutColour = new Set([
  'CI',
  'NO_COLOR',
  'FORCE_COLOR',
  'NODE_DISABLE_COLORS',
  'TEAMCITY_VERSION',
  'TMUX',
]);

/** The environment of the test run without any setting of ours. */
export function cleanEnvironment(additions: Environment = {}): Environment {
  const ours = new Set<string>(Object.values(settings).map(({ variable }) => variable));
  const others = Object.entries(process.env).filter(([name]) => !ours.has(name) && !aboutColour.has(name));
  // Any free port.
  return { ...Object.fromEntries(others), PORT: '0', ...additions };
}

export function petstoreCommand(args: string[], program = ownProgram): string[] {
  return [process.execPath, program, ...args];
}

/** Nothing is forbidden to root; without these capabilities it is held to the rights of a file like everybody. */
export function heldToRights(command: string[]): string[] {
  const isRoot = process.getuid?.() === 0;
  return isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...command] : command;
}

/**
 * A disk that fills up, without a disk: no file may grow past so many bytes, and a write past it fails with EFBIG. The
 * signal that comes with it would end the process, so it is ignored; the limit can be lifted from outside.
 */
export function limitedTo(bytes: number): (command: string[]) => string[] {
  const script = `trap '' XFSZ; ulimit -S -f ${Math.floor(bytes / 512)}; exec "$@"`;
  return (command) => ['sh', '-c', script, 'sh', ...command];
}

export interface ServiceOptions {
  args?: string[];
  /** Added to the environment; an undefined value takes a variable away. */
  env?: Environment;
  /** A store that outlives the service; without it the service gets its own, removed at the end. */
  databaseUrl?: string;
  /** Changes the command line, for a service that starts under restrictions. */
  wrap?: (command: string[]) => string[];
  /** After this long it is ended, so that none outlives the test run. */
  longestLifeMs?: number;
}

export interface Service extends AsyncDisposable {
  url: string;
  pid: number;
  apiKey: string;
  /** Where it runs; removed at the end. */
  folder: string;
  database: string;
  /** Calls with the key; throws when the response is not as `openapi.yaml` says. */
  call: Call;
  /** The same with another key. */
  callWith: (key: string, path: string, init?: RequestInit) => Promise<Response>;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves once the log matches. */
  untilLogged(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit status, or the signal that ended it, once all output has arrived. */
  readonly exited: RunningProgram['ended'];
  /** Asks the service to stop and waits for its end. */
  stop: RunningProgram['stop'];
  /** Ends it with no chance to react. */
  kill9(): Promise<void>;
}

/** Starts `petstore serve` on a free port and waits until it says that it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { args = [], env = {}, wrap = (command: string[]) => command } = options;
  const folder = makeFolder();
  const databaseUrl = options.databaseUrl ?? folder.database;
  // By the environment, so that the flags of a test win over it.
  const configuration = {
    DATABASE_URL: databaseUrl,
    API_KEYS: fixedKey,
    STOP_DELAY: '0',
  };
  const program = startProgram(wrap(petstoreCommand(['serve', ...args])), {
    cwd: folder.path,
    env: cleanEnvironment({ ...configuration, ...env }),
    longestLifeMs: options.longestLifeMs,
  });
  const { pid, stdout, stderr, ended: exited, stop } = program;
  const dispose = async (): Promise<void> => {
    await stop('SIGKILL');
    folder[Symbol.dispose]();
  };

  const ready = await Promise.race([stdout.untilMatch(readyLine), stderr.untilMatch(curlLine), exited]);
  if (!Array.isArray(ready)) {
    await dispose();
    throw new Error(`The service ended with ${ready} before it was ready:\n${stdout.text}${stderr.text}`);
  }
  const url = ready[1]!;
  const callWith: Service['callWith'] = (key, path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${key}`);
    return checkedFetch(`${url}${path}`, { ...init, headers });
  };
  return {
    url,
    pid,
    apiKey: fixedKey,
    folder: folder.path,
    database: databaseUrl,
    call: (path, init) => callWith(fixedKey, path, init),
    callWith,
    get stdout() {
      return stdout.text;
    },
    get stderr() {
      return stderr.text;
    },
    untilLogged: stdout.untilMatch,
    exited,
    stop,
    kill9: async () => void (await stop('SIGKILL')),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Ends a process with no chance to react. */
export function endProcess(pid: number): void {
  sendSignal(pid, 'SIGKILL');
}

/** Sends a signal; a process that is gone already is fine. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const readyLine = /"message":"ready","address":"([^"]+)"/;
/** All that tells the address of a first start whose log shows warnings only. */
const curlLine = /curl .* (http[^ ]+)\/v1\/pets\n\n/;

export type CliResult = Ended;

export interface CliOptions {
  env?: Environment;
  cwd?: string;
  input?: string;
  /** Changes the command line, for a command that starts under restrictions. */
  wrap?: (command: string[]) => string[];
}

/** Runs a command that ends by itself. */
export function runCli(args: string[], options: CliOptions = {}): Promise<CliResult> {
  return runProgram(petstoreCommand(args), options);
}

/** Starts a command that is to be watched, stopped or killed. */
export function startCli(args: string[], { cwd, env }: { cwd: string; env?: Environment }): RunningProgram {
  return startProgram(petstoreCommand(args), { cwd, env: cleanEnvironment(env) });
}

/** Runs a program of the test kit to its end. */
export function runKit(
  name: keyof typeof kitPrograms,
  args: string[],
  options: CliOptions = {},
): Promise<CliResult> {
  return runProgram(petstoreCommand(args, kitPrograms[name]), options);
}

async function runProgram(ownCommand: string[], options: CliOptions): Promise<CliResult> {
  using folder = makeFolder();
  const { wrap = (command: string[]) => command } = options;
  return await run(
    wrap(ownCommand),
    options.cwd ?? folder.path,
    cleanEnvironment(options.env),
    options.input,
  );
}
