import { describe, expect, it } from 'bun:test';
import {
  cleanEnvironment,
  fixedKey,
  makeFolder,
  petstoreCommand,
  runCli,
  startService,
} from '../support/process/process.ts';

interface LogLine {
  time: string;
  level: string;
  message: string;
  [field: string]: unknown;
}

const linesOf = (stdout: string): LogLine[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);

describe('the log', () => {
  it('has one JSON object per line, and no line per request, unless it goes to a terminal', async () => {
    await using service = await startService({ args: ['--host', 'localhost'] });
    await service.call('/v1/pets');
    await service.call('/v1/pets/1');
    await service.stop();
    const lines = linesOf(service.stdout);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info made a new store',
      'info ready',
      'info stopping',
      'info stopped',
    ]);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });

  it('has a line per request with --access-log, with the path of the contract and the name of the key', async () => {
    await using service = await startService({ args: ['--access-log'] });
    const create = ['keys', 'create', '--name', 'till-2', '--json', '--database-url', service.database];
    const till = JSON.parse((await runCli(create)).stdout) as { key: string };
    await service.callWith(till.key, '/v1/pets?status=sold', { headers: { 'X-Request-Id': 'list' } });
    await service.call('/v1/pets/123', { headers: { 'X-Request-Id': 'get' } });
    await service.call('/v1/pets', { method: 'DELETE', headers: { 'X-Request-Id': 'delete' } });
    await service.callWith('wrong', '/v1/pets', { headers: { 'X-Request-Id': 'stranger' } });
    await service.call('/livez', { headers: { 'X-Request-Id': 'probe' } });
    await service.stop();
    const requests = linesOf(service.stdout).filter(({ message }) => message === 'request');
    expect(
      requests.map(({ requestId, method, path, status, code, client, key }) =>
        [requestId, method, path, status, code, client, key].join(' '),
      ),
    ).toEqual([
      'list GET /v1/pets 200  127.0.0.1 till-2',
      'get GET /v1/pets/:petId 404 not_found 127.0.0.1 API_KEYS',
      'delete DELETE /v1/pets 405 method_not_allowed 127.0.0.1 API_KEYS',
      'stranger GET /v1/pets 401 invalid_api_key 127.0.0.1 ',
      'probe GET /livez 200  127.0.0.1 ',
    ]);
    expect(requests.every(({ durationMs }) => Number.isInteger(durationMs))).toBe(true);
  });

  it('may lose its reader without stopping the service', async () => {
    using folder = makeFolder();
    await using child = Bun.spawn(petstoreCommand(['serve', '--access-log']), {
      cwd: folder.path,
      env: cleanEnvironment({ API_KEYS: fixedKey }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const reader = child.stdout.getReader();
    let [read, address] = ['', ''];
    while (address === '') {
      read += Buffer.from((await reader.read()).value ?? []).toString();
      address = /"address":"([^"]+)"/.exec(read)?.[1] ?? '';
    }
    await reader.cancel();
    for (let count = 0; count < 5; count++) expect((await fetch(`${address}/livez`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});

describe('plain HTTP beyond loopback, and a key in API_KEYS that can be guessed', () => {
  it('cause one warning each', async () => {
    const options = { workers: 2, args: ['--host', '0.0.0.0'], env: { API_KEYS: 'short' } };
    await using service = await startService(options);
    await service.stop();
    const warnings = linesOf(service.stdout).filter(({ level }) => level === 'warn');
    expect(warnings.toSorted((one, other) => one.message.localeCompare(other.message))).toMatchObject([
      { message: expect.stringMatching(/^A key in API_KEYS is so short that it can be guessed\./) },
      { host: '0.0.0.0', message: expect.stringContaining('Keys and pets travel unencrypted') },
    ]);
  });
});
