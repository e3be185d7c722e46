import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { useBrowser } from '../../../../test/support/browser/use-browser.ts';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openService, openTemporarySqlite } from '../../../../test/support/http/service.ts';
import { freePort } from '../../../../test/support/http/free-port.ts';
import { runOnTerminal } from '../../../../test/support/process/terminal.ts';
import { listen } from '../../../../test/support/http/socket.ts';
import {
  fixedKey,
  kitPrograms,
  makeFolder,
  runKit,
  startService,
  type Service,
} from '../../../../test/support/process/process.ts';
import { openListeningService } from '../../../../test/support/http/listening.ts';

interface Json {
  url: string;
  profile: string;
  passed: number;
  failed: number;
  petsCreated: number;
  checks: Record<
    'name' | 'rule' | 'profile' | 'outcome' | 'sent' | 'expected' | 'seen' | 'causedBy',
    string
  >[];
}

const chromium = useBrowser();
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const env = { PETSTORE_API_KEY: fixedKey };
const conform = (url: string, ...args: string[]) => runKit('conform', [url, ...args], { env });

describe('petstore-conform', () => {
  it('finds nothing wrong with the service, and prints a table', async () => {
    // It includes the contract.
    const { status, stdout, stderr } = await conform(service.url, '--profile', 'strict');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^RESULT +CHECK +RULE\n/);
    expect(stdout).toMatch(/\npass +limits\/default +Without a limit, a list has 20 pets/);
    expect(stdout).not.toContain('FAIL');
    const summary = `checks of the strict profile on ${service.url}/v1: all passed; \\d+ pets created in [\\d.]+ s\\.\n$`;
    expect(stdout).toMatch(new RegExp(`\n\\d+ ${summary}`));
  });

  it('shows a mistake as text and JSON, and exits with 1', async () => {
    await using broken = await openService({ openStore: openTemporarySqlite });
    await using server = listen({
      fetch: async (request) => {
        const response = await broken.app.fetch(request);
        const isRefusal = response.status === 401;
        return isRefusal ? Response.json({ code: '<&"\u0001', message: 'No.' }, { status: 401 }) : response;
      },
    });
    const args = [server.url, '--api-key', broken.apiKey];
    const text = await runKit('conform', args);
    expect(text.status).toBe(1);
    expect(text.stdout).toMatch(/\nFAIL +authentication\/list-missing-key /);
    expect(text.stdout).toMatch(/\npass +limits\/default /);
    expect(text.stdout).toContain(
      [
        'authentication/list-missing-key: GET /pets without an Authorization header is 401 with an Error as JSON.',
        '  sent      GET /pets (no Authorization)',
        '  expected  the integer status 401 in the body',
        String.raw`  seen      401 {"code":"<&\"\u0001","message":"No."}`,
      ].join('\n'),
    );
    expect(text.stdout).toMatch(/\n  17 more checks failed because of this\.\n/);
    expect(text.stdout).toMatch(/\nfollows +authentication\/create-missing-key /);
    expect(text.stdout).toMatch(/: 18 failed, 1 finding; /);

    const json = await runKit('conform', [...args, '--only', 'authentication', '--json']);
    expect(json.status).toBe(1);
    const { failed, checks } = JSON.parse(json.stdout) as Json;
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(failed);
    expect(checks.find(({ name }) => name === 'authentication/list-missing-key')).toMatchObject({
      sent: 'GET /pets (no Authorization)',
      expected: 'the integer status 401 in the body',
    });
    expect(checks.find(({ name }) => name === 'authentication/get-missing-key')).toMatchObject({
      causedBy: 'authentication/list-missing-key',
    });
  });

  it('runs and lists a selection of the checks', async () => {
    const { status, stdout } = await conform(service.url, '--only', 'create,limits/default', '--json');
    expect(status).toBe(0);
    const ran = (JSON.parse(stdout) as Json).checks.map(({ name }) => name);
    expect(ran).toContain('limits/default');
    expect(ran.filter((name) => !name.startsWith('create/'))).toEqual(['limits/default']);
    const listed = await runKit('conform', ['--list', '--only', 'create,limits/default', '--json']);
    expect((JSON.parse(listed.stdout) as Json['checks']).map(({ name }) => name)).toEqual(ran);
    const all = await runKit('conform', ['--list', '--profile', 'strict']);
    expect(all.stdout).toMatch(/^CHECK +PROFILE +RULE\n/);
    expect(all.stdout).toMatch(/\netag\/on-200 +strict +Every 200 of a GET is application/);
  });

  it('creates pets of the chosen category only', async () => {
    await using own = await openService({ openStore: openTemporarySqlite });
    await using server = listen({
      fetch: async (request) => {
        const sent = request.method === 'POST' ? await (request.clone() as Request).text() : '';
        const error = { code: 'unknown_category', message: 'No category has this id.', status: 400 };
        const isRefused = sent.includes('"categoryId"') && !/"categoryId"\s*:\s*7\b/.test(sent);
        return isRefused && request.headers.get('Authorization') === `Bearer ${own.apiKey}`
          ? Response.json(error, { status: 400 })
          : own.app.fetch(request);
      },
    });
    const args = [server.url, '--api-key', own.apiKey];
    const chosen = await runKit('conform', [...args, '--category-id', '7']);
    expect(chosen.stdout).toMatch(/: all passed; /);
    const other = await runKit('conform', args);
    expect(other.stdout).toMatch(/\d+ more checks failed because of this\.\n/);
    expect(other.stdout).toContain('If only some categories exist, choose one with --category-id.\n');
  });

  it('checks a service whose base does not end in /v1', async () => {
    await using own = await openService({ openStore: openTemporarySqlite });
    await using server = listen({
      fetch: (request) => {
        const { origin, pathname, search } = new URL(request.url);
        return own.app.fetch(new Request(`${origin}/v1${pathname}${search}`, request));
      },
    });
    const key = ['--api-key', own.apiKey];
    const { stdout } = await runKit('conform', ['--base', server.url, ...key, '--only', 'list,create,get']);
    expect(stdout).toContain(` on ${new URL(server.url).origin}: all passed; `);
    expect(await runKit('conform', [server.url, ...key])).toMatchObject({ status: 2 });
  });

  it('writes a JUnit report that a browser parses, whatever the service sends', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'report.xml');
    const message = `<]]>&"'\u0000\u001b\ufffe`;
    using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json({ code: 'unavailable', message }, { status: 500 }),
    });
    const args = [server.url.href, '--api-key', 'key', '--junit', file, '--only', 'limits'];
    expect(await runKit('conform', args)).toMatchObject({ status: 1 });
    const text = await Bun.file(file).text();
    const tab = await chromium.browser.newPage();
    const seen = await tab.evaluate<{
      errors: number;
      counts: string[][];
      classes: string[];
      failure: string;
    }>(`(() => {
      const document = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml');
      const all = (name) => [...document.querySelectorAll(name)];
      return {
        errors: all('parsererror').length,
        counts: all('testsuite').map((suite) => [suite.getAttribute('tests'), suite.getAttribute('failures')]),
        classes: all('testcase').map((one) => one.getAttribute('classname')),
        failure: all('failure')[0]?.textContent,
      };
    })()`);
    const count = seen.classes.length;
    expect(seen).toMatchObject({ errors: 0, counts: [[String(count), String(count)]] });
    expect(new Set(seen.classes)).toEqual(new Set(['limits']));
    expect(seen.failure).toContain(String.raw`"message":"<]]>&\"'\u0000\u001b`);
  });

  it('says what its exit statuses mean, and refuses a report that it cannot write', async () => {
    expect((await runKit('conform', ['--help'])).stdout).toMatch(
      /\nExit status:\n  0  Every check passes\.\n  1  A check fails\.\n  2  The service cannot be checked, or an option is wrong\.\n/,
    );
    const file = '/nowhere/report.xml';
    const { status, stderr } = await conform(service.url, '--only', 'limits/default', '--junit', file);
    expect(status).toBe(2);
    expect(stderr).toStartWith('petstore-conform: The report cannot be written: ENOENT');
  });

  it('exits with 2 and one sentence if the key may not create pets', async () => {
    await using own = await openListeningService({ openStore: openTemporarySqlite });
    const window = await issueKey(own.keys, { name: 'window', now: new Date(), isReadOnly: true });
    expect(await runKit('conform', [own.url, '--api-key', window.text])).toEqual({
      status: 2,
      stdout: '',
      stderr: `petstore-conform: The API key may not create pets at ${own.url}/v1 (403). Set PETSTORE_API_KEY to a key that may.\n`,
    });
  });

  it('exits with 2 if no service responds', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { status, stdout, stderr } = await conform(url);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toStartWith(`petstore-conform: No service responds at ${url}/v1 (`);
  });

  it('exits with 2 if the service does not accept the key', async () => {
    const { status, stderr } = await runKit('conform', [service.url, '--api-key', 'wrong']);
    expect(status).toBe(2);
    expect(stderr).toBe(
      `petstore-conform: The service at ${service.url}/v1 does not accept the API key (401). Set PETSTORE_API_KEY to a key of this service.\n`,
    );
  });

  it('exits with 2 if the service limits the rate of requests', async () => {
    await using limited = await openListeningService({
      openStore: openTemporarySqlite,
      rateLimit: 100,
    });
    const { status, stdout, stderr } = await runKit('conform', [limited.url, '--api-key', limited.apiKey]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('limits the rate of requests (429)');
  });

  it.each([
    [
      ['http://localhost', '--only', 'create,etag'],
      'The contract profile has no check or subject "etag". See: petstore-conform --list --profile contract',
    ],
    [['127.0.0.1:8080'], 'The URL must be an address such as http://127.0.0.1:8080, not "127.0.0.1:8080".'],
    [['http://a:b@localhost'], 'The URL must not contain a user name or a password.'],
    [
      ['http://localhost', '--api-key', 'a b'],
      'The API key must be visible ASCII characters without spaces.',
    ],
    [['http://localhost'], 'An API key is needed. Set PETSTORE_API_KEY.'],
    [[], 'Name one address: URL or --base URL. See: petstore-conform --help'],
    [
      ['http://localhost', '--base', 'http://localhost'],
      'Name one address: URL or --base URL. See: petstore-conform --help',
    ],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runKit('conform', args)).toEqual({
      status: 2,
      stdout: '',
      stderr: `petstore-conform: ${message}\n`,
    });
  });
});

describe('a response with control characters', () => {
  it('is shown escaped', async () => {
    const body = { code: 'unavailable', message: 'a\u001b]0;owned\u0007b\u009b31mc\u202ed\u2028' };
    using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json(body, { status: 500 }),
    });
    const program = kitPrograms.conform;
    const { status, screen } = await runOnTerminal([server.url.href, '--api-key', 'key'], { program });
    expect(status).toBe(1);
    expect(screen.split('\n').filter((line) => /[\p{Cc}\u2028\u202e]/u.test(line))).toEqual([]);
  });
});
