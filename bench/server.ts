import { killFamily, started } from './children.ts';
import { contestantOf } from './contestants.ts';
import { pin } from './cores.ts';
import { apiKey } from './data.ts';
import { freePort } from '../test/support/http/free-port.ts';

export interface RunningServer extends AsyncDisposable {
  url: string;
  port: number;
  pid: number;
  /** From the start of the process to its first good answer. */
  readyMs: number;
  /** What a request needs to be accepted. */
  headers: Record<string, string>;
}

export interface ServerOptions {
  contestant: string;
  place: string;
  processes: number;
  cores: readonly number[];
  withEtag?: boolean;
  checkout?: string;
  /** Added to the environment, for the slow disk. */
  env?: Record<string, string>;
}

const startWithinMs = 60_000;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { contestant: id, place, processes, cores, withEtag = false, checkout, env = {} } = options;
  const contestant = contestantOf(id);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = contestant.start({ port, place, processes, withEtag, ...(checkout && { checkout }) });
  const startedAt = performance.now();
  const child = started(
    Bun.spawn(pin(cores, start.command), {
      // Nothing of the caller's own settings reaches a contestant.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env, ...start.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  const complaints = child.stderr.text();
  const dispose = async (): Promise<void> => {
    // The data is a copy that nobody needs any more, so there is no need to ask politely.
    killFamily(child);
    await child.exited;
  };

  try {
    if (contestant.authorize) await untilAnswered(`${url}/`, {}, () => true, child);
    const credential = contestant.authorize ? await contestant.authorize(url) : apiKey;
    const headers = { Authorization: `Bearer ${credential}` };
    const { path } = contestant.spelling.list({});
    await untilAnswered(`${url}${path}`, headers, ({ status }) => status < 400, child);
    return {
      url,
      port,
      pid: child.pid,
      readyMs: performance.now() - startedAt,
      headers,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw new Error(`${contestant.name} did not start:\n${(await complaints).slice(-2000)}`, {
      cause: error,
    });
  }
}

async function untilAnswered(
  url: string,
  headers: Record<string, string>,
  isGood: (response: Response) => boolean,
  child: Bun.Subprocess,
): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  let last: unknown = 'nothing';
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      const response = await fetch(url, { headers, keepalive: false });
      last = await response.text();
      if (isGood(response)) return;
    } catch (error) {
      last = error;
    }
    await Bun.sleep(2);
  }
  throw new Error(`The last answer was ${String(last).slice(0, 500)}`);
}
