import { collect } from './collect.ts';
import { cleanEnvironment, makeFolder, petstoreCommand } from './process.ts';

export interface RepeatedBackupsOptions {
  database: string;
  to: string;
  /** More options of the command; it backs up every second. */
  args?: string[];
  env?: Record<string, string>;
}

/** `petstore backup --every 1s`, until it is stopped or killed. */
export interface RepeatedBackups extends AsyncDisposable {
  pid: number;
  readonly stdout: string;
  untilLogged(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  kill9(): Promise<void>;
}

export function startBackups(options: RepeatedBackupsOptions): RepeatedBackups {
  const { database, to, args = [], env = {} } = options;
  const folder = makeFolder();
  const command = ['backup', to, '--every', '1s', '--database-url', database, ...args];
  const child = Bun.spawn(petstoreCommand(command), {
    cwd: folder.path,
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    // So that none outlives the test run.
    timeout: 180_000,
    killSignal: 'SIGKILL',
  });
  const stdout = collect(child.stdout);
  const ended = Promise.all([child.exited, stdout.ended]).then(([status]) => status);
  const stop: RepeatedBackups['stop'] = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid,
    get stdout() {
      return stdout.text;
    },
    untilLogged: stdout.untilMatch,
    stop,
    kill9: async () => void (await stop('SIGKILL')),
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}
