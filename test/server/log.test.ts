import { describe, expect, it } from 'bun:test';
import {
  cleanEnvironment,
  fixedKey,
  makeFolder,
  petstoreCommand,
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

  it('may lose its reader without stopping the service', async () => {
    using folder = makeFolder();
    await using child = Bun.spawn(petstoreCommand(['serve', '--access-log']), {
      cwd: folder.path,
      env: cleanEnvironment({ API_KEYS: fixedKey, STOP_DELAY: '0' }),
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
