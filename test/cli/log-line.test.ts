import { describe, expect, it } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import { renderLogLine } from '../../src/cli/terminal/output.ts';
import type { LogFields, LogLevel } from '../../src/system/log.ts';
import { post, rex } from '../support/http/calls.ts';
import { cleanEnvironment, makeFolder, petstoreCommand } from '../support/process/process.ts';

const at = new Date(2027, 2, 4, 5, 6, 7);

/** Without colours, which a developer's terminal may have. */
const render = (...line: [LogLevel, string, LogFields]) =>
  stripVTControlCharacters(renderLogLine(at, ...line));

describe('a log line on a terminal', () => {
  it('ends with the stack of an error', () => {
    const fields = { error: 'Error: no\n    at x', method: 'GET', path: '/', requestId: 'r-1' };
    expect(render('error', 'request failed', fields)).toBe(
      '05:06:07 error request failed method=GET path=/ requestId=r-1 Error: no\n    at x',
    );
  });

  it('shows a message and its fields', () => {
    const address = 'http://127.0.0.1:8080';
    expect(render('info', 'ready', { address, absent: undefined })).toBe(`05:06:07 ready address=${address}`);
  });

  it('quotes a value with spaces and escapes control characters', () => {
    expect(render('info', 'request', { status: 200, key: 'Till 2\n\u001b[31m' })).toBe(
      '05:06:07 request status=200 key="Till 2\\n\\u001b[31m"',
    );
  });
});

describe('the log of a service on a terminal', () => {
  it.each([{ NO_COLOR: undefined }, { NO_COLOR: '1' }])(
    'has colours, unless NO_COLOR is set: %j',
    async (env) => {
      const screen = await createOnTerminal(env);
      expect(screen).toMatch(/ request method=POST path=\/v1\/pets key=first-start .*status=201 /);
      expect(screen.includes('\u001b')).toBe(env.NO_COLOR === undefined);
    },
  );
});

/** Starts a service on a new store, creates a pet with its first key, and stops it. */
async function createOnTerminal(env: Record<string, string | undefined>): Promise<string> {
  using folder = makeFolder();
  let screen = '';
  const child = Bun.spawn(petstoreCommand(['serve', '--access-log', '--host', '0.0.0.0']), {
    cwd: folder.path,
    env: cleanEnvironment({ TERM: 'xterm', ...env }),
    timeout: 300_000,
    killSignal: 'SIGKILL',
    terminal: { cols: 120, rows: 40, data: (_, bytes) => void (screen += Buffer.from(bytes).toString()) },
  });
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(screen);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(screen);
      await Bun.sleep(10);
    }
  };
  try {
    const [, key = ''] = await until(/^ {2}(pets_\w{36})\r$/m);
    const [, url = ''] = await until(/ (http:\S+\/v1\/pets)\r\n\r\n/);
    await fetch(url, post(rex, { Authorization: `Bearer ${key}` }));
    await until(/requestId=/);
    child.kill('SIGINT');
    await child.exited;
    await until(/ stopped\r\n/);
    return screen;
  } finally {
    child.kill('SIGKILL');
  }
}
