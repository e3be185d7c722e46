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
  it('begins with the call and its outcome, and ends with the ids', () => {
    const fields = { method: 'POST', path: '/v1/pets', status: 201, durationMs: 3, key: 'till-2' };
    expect(render('info', 'request', { requestId: 'r-1', ...fields })).toBe(
      '05:06:07 POST /v1/pets 201 3 ms key=till-2 requestId=r-1',
    );
    expect(render('warn', 'slow request', { ...fields, key: undefined, requestId: 'r-1' })).toBe(
      '05:06:07 warn POST /v1/pets 201 3 ms slow request requestId=r-1',
    );
  });

  it('shows who called before the rest', () => {
    const who = { key: 'till-2', keyId: '7', client: '192.0.2.7' };
    const fields = { method: 'GET', path: '/v1/pets', status: 200, durationMs: 3, ...who };
    expect(render('info', 'request', { ...fields, bytes: 2, traceId: 't-1', requestId: 'r-1' })).toBe(
      '05:06:07 GET /v1/pets 200 3 ms key=till-2 client=192.0.2.7 keyId=7 bytes=2 traceId=t-1 requestId=r-1',
    );
  });

  it('ends with the stack of an error', () => {
    const fields = { method: 'GET', path: '/', code: 'internal', requestId: 'r-1' };
    expect(render('error', 'request failed', { error: 'Error: no\n    at x', ...fields })).toBe(
      '05:06:07 error GET / request failed code=internal requestId=r-1 Error: no\n    at x',
    );
  });

  it('shows a message and its fields', () => {
    const address = 'http://127.0.0.1:8080';
    expect(render('info', 'ready', { address, absent: undefined })).toBe(`05:06:07 ready address=${address}`);
  });

  it('quotes a value with spaces and escapes control characters', () => {
    const fields = { method: 'GET', path: '/', status: 200, durationMs: 0, key: 'Till 2\n\u001b[31m' };
    expect(render('info', 'request', fields)).toBe('05:06:07 GET / 200 0 ms key="Till 2\\n\\u001b[31m"');
  });
});

describe('the log of a service on a terminal', () => {
  const created = /POST \/v1\/pets (\S+) \d+ ms key=first-start/;

  it.each([
    [{ NO_COLOR: undefined }, '\u001b[32m201\u001b[39m'],
    [{ NO_COLOR: '1' }, '201'],
  ])('shows the status in colour, unless NO_COLOR is set: %j', async (env, status) => {
    const screen = await createOnTerminal(env);
    expect(created.exec(screen)?.[1]).toBe(status);
    expect(screen.includes('\u001b')).toBe(env.NO_COLOR === undefined);
  });
});

/** Starts a service on a new store, creates a pet with its first key, and stops it. */
async function createOnTerminal(env: Record<string, string | undefined>): Promise<string> {
  using folder = makeFolder();
  let screen = '';
  const child = Bun.spawn(petstoreCommand(['serve', '--access-log', '--host', '0.0.0.0']), {
    cwd: folder.path,
    env: cleanEnvironment({ TERM: 'xterm', ...env }),
    timeout: 120_000,
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
