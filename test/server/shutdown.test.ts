import { describe, expect, it } from 'bun:test';
import { outcomeOf, post, rex } from '../support/http/calls.ts';
import { childrenOf, isRunning } from '../support/process/process-tree.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';
import {
  cleanEnvironment,
  fixedKey,
  makeFolder,
  petstoreCommand,
  startService,
  type Service,
} from '../support/process/process.ts';
import { createPets, Journal, readPets } from '../support/journal.ts';
import { openConnection, requestText, type RawConnection } from '../support/http/raw-http.ts';

describe('a service under load', () => {
  const cases = [
    { signal: 'SIGTERM', workers: 1 },
    { signal: 'SIGINT', workers: 1 },
    { signal: 'SIGHUP', workers: 1 },
    { signal: 'SIGTERM', workers: 2 },
    { signal: 'SIGHUP', workers: 2 },
  ] as const;
  for (const { signal, workers } of cases) {
    it(`stops at ${signal} with --workers ${workers}: exit 0, and whatever was executed got its whole answer`, async () => {
      await using service = await startService({ workers, args: ['--access-log'] });
      const journal = new Journal();
      const url = () => service.url;
      let hasExited = false;
      const isDone = () => hasExited;
      const creators = Array.from({ length: 8 }, (_, index) =>
        createPets({ journal, url, isDone, label: `creator-${index}` }),
      );
      const readers = Array.from({ length: 4 }, (_, index) =>
        readLists({ url: service.url, isDone, label: `reader-${index}` }),
      );
      while (journal.acknowledged.size < 200) await Bun.sleep(5);

      const status = await service.stop(signal);
      hasExited = true;
      await Promise.all(creators);
      const lists = await Promise.all(readers);

      expect(status).toBe(0);
      expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
      expect(journal.refused).toEqual([]);
      expect(
        journal.truncatedCount + lists.reduce((sum, { truncatedCount }) => sum + truncatedCount, 0),
      ).toBe(0);
      const stored = readPets(service.database).map(({ name }) => name);
      expect(stored.toSorted()).toEqual([...journal.acknowledged.keys()].toSorted());
      // A request without a response came too late to reach the API.
      const unanswered = [...journal.unanswered, ...lists.flatMap((reader) => reader.unanswered)];
      const executed = new Set([...service.stdout.matchAll(/"requestId":"([^"]+)"/g)].map(([, id]) => id));
      expect(executed.size).toBeGreaterThan(200);
      expect(unanswered.filter((id) => executed.has(id))).toEqual([]);
    });
  }
});

describe('a service with a stop delay', () => {
  for (const workers of [1, 2]) {
    it(`is not ready first, serves on, and then stops (workers: ${workers})`, async () => {
      await using service = await startService({ workers, env: { STOP_DELAY: '6' } });
      const toldAt = performance.now();
      const exited = service.stop();
      await service.untilLogged(/"message":"stopping"/);
      // Each call has a connection of its own.
      while ((await service.call('/readyz', { keepalive: false })).status !== 503) await Bun.sleep(10);
      let served = 0;
      while (performance.now() - toldAt < 1500) {
        expect(await outcomeOf(service.call('/v1/pets', { ...post(rex), keepalive: false }))).toBe('201');
        served += 1;
      }
      expect(await exited).toBe(0);
      expect(performance.now() - toldAt).toBeGreaterThanOrEqual(6000);
      expect(readPets(service.database)).toHaveLength(served);
    });
  }

  it.each([
    [{}, [], process.stdout.isTTY ? 0 : 5],
    [{ STOP_DELAY: '0' }, [], 0],
    [{ STOP_DELAY: '9' }, ['--stop-delay', '1'], 1],
  ])('with the environment %j and the arguments %j is %d seconds', (environment, args, seconds) => {
    expect(parseServeOptions(args, environment).stopDelaySeconds).toBe(seconds);
  });
});

describe('a service that is stopping', () => {
  for (const workers of [1, 2]) {
    it(`with --workers ${workers} finishes a request whose body is still arriving`, async () => {
      await using service = await startService({ workers });
      using slow = await sendHalf(service, 'Slow Rex');
      const exited = service.stop();
      await untilRefused(service.url);
      slow.finish();
      const answer = await slow.connection.receive();
      expect(answer).toHaveProperty('status', 201);
      expect(await exited).toBe(0);
      expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
      expect(readPets(service.database).map(({ name }) => name)).toEqual(['Slow Rex']);
    });
  }

  it('accepts no new connection, and reports not ready on an open one', async () => {
    // Open connections are served for a moment only; a test run that stalls just then tries again.
    let outcome = 'none';
    for (let attempt = 0; attempt < 10 && outcome === 'none'; attempt++) {
      await using service = await startService();
      using connection = await openConnection(service.url);
      expect(await connection?.send('GET', '/readyz')).toHaveProperty('status', 200);
      const exited = service.stop();
      await untilRefused(service.url);
      const answer = await connection?.send('GET', '/readyz');
      if (answer instanceof Response) {
        const { code } = (await answer.json()) as { code: string };
        outcome = `${answer.status} ${code}, ${answer.headers.get('Connection')}`;
      }
      expect(await exited).toBe(0);
    }
    expect(outcome).toBe('503 unavailable, close');
  });

  it('cuts off a request that never ends, and exits 0', async () => {
    await using service = await startService();
    using slow = await sendHalf(service, 'Endless Rex');
    expect(await service.stop()).toBe(0);
    expect(await slow.connection.receive()).toBe('unanswered');
    expect(readPets(service.database)).toEqual([]);
  });

  for (const workers of [1, 2]) {
    it(`with --workers ${workers} takes a Ctrl-C that reaches it twice for one`, async () => {
      await using service = await startService({ workers });
      using slow = await sendHalf(service, 'Patient Rex');
      // A terminal sends it to every process of the group, and npm and the parent pass it on.
      for (const pid of [service.pid, ...childrenOf(service.pid)]) process.kill(pid, 'SIGINT');
      const exited = service.stop('SIGINT');
      await untilRefused(service.url);
      slow.finish();
      expect(await slow.connection.receive()).toHaveProperty('status', 201);
      expect(await exited).toBe(0);
      expect(service.stdout.match(/"message":"stopped"/g)).toHaveLength(workers);
    });
  }

  for (const workers of [1, 2]) {
    it(`with --workers ${workers} stops cleanly when its terminal is closed`, async () => {
      using folder = makeFolder();
      let screen = '';
      const child = Bun.spawn(petstoreCommand(['serve', '--port', '0', '--workers', String(workers)]), {
        cwd: folder.path,
        env: cleanEnvironment({ DATABASE_URL: folder.database }),
        timeout: 60_000,
        killSignal: 'SIGKILL',
        terminal: {
          cols: 200,
          rows: 40,
          data: (_terminal, data) => (screen += Buffer.from(data).toString()),
        },
      });
      while (!/v1\/pets\s*$/.test(screen)) await Bun.sleep(10);
      const processes = childrenOf(child.pid);
      child.terminal?.close();
      expect(await child.exited).toBe(0);
      expect(processes.filter(isRunning)).toEqual([]);
    });

    it(`with --workers ${workers} goes on after a SIGHUP that nohup has it ignore`, async () => {
      await using service = await startService({
        workers,
        wrap: (command) => ['nohup', ...command],
      });
      for (const pid of [service.pid, ...childrenOf(service.pid)]) process.kill(pid, 'SIGHUP');
      for (let count = 0; count < 20; count++) {
        expect((await service.call('/v1/pets')).status).toBe(200);
        await Bun.sleep(10);
      }
      expect(await service.stop()).toBe(0);
      expect(service.stdout).not.toContain('SIGHUP');
    });
  }

  it('ends at once with status 1 after a second signal', async () => {
    await using service = await startService();
    using slow = await sendHalf(service, 'Abandoned Rex');
    void service.stop();
    await service.untilLogged(/"stopping"/);
    // Sooner, it would be taken for the same Ctrl-C, passed on by somebody else.
    await Bun.sleep(1100);
    expect(await service.stop()).toBe(1);
    expect(await slow.connection.receive()).toBe('unanswered');
    expect(readPets(service.database)).toEqual([]);
  });
});

interface Reader {
  unanswered: string[];
  truncatedCount: number;
}

async function readLists(options: { url: string; isDone: () => boolean; label: string }): Promise<Reader> {
  const { url, isDone, label } = options;
  const reader: Reader = { unanswered: [], truncatedCount: 0 };
  let connection: RawConnection | undefined;
  for (let count = 0; !isDone(); count++) {
    connection ??= await openConnection(url);
    if (!connection) {
      await Bun.sleep(5);
      continue;
    }
    const requestId = `${label}-${count}`;
    const headers = { 'X-Request-Id': requestId };
    const answer = await connection.send('GET', '/v1/pets?limit=100', { key: fixedKey, headers });
    if (answer === 'truncated') reader.truncatedCount += 1;
    if (typeof answer === 'string') reader.unanswered.push(requestId);
    if (typeof answer === 'string' || answer.headers.get('Connection') === 'close') {
      connection[Symbol.dispose]();
      connection = undefined;
    }
  }
  connection?.[Symbol.dispose]();
  return reader;
}

interface SlowRequest extends Disposable {
  connection: RawConnection;
  finish(): void;
}

/** Begins a create and keeps back the end of its body; returns once the service has begun to read it. */
async function sendHalf(service: Service, name: string): Promise<SlowRequest> {
  const connection = await openConnection(service.url);
  if (!connection) throw new Error('Nobody listens.');
  // A response on the same connection proves that it was accepted.
  await connection.send('GET', '/livez');
  const body = JSON.stringify({ name, categoryId: 1 });
  const text = requestText('POST', '/v1/pets', 'localhost', { key: fixedKey, body });
  connection.write(text.slice(0, -10));
  // The service reads its sockets in one loop: another whole exchange shows that it has been around.
  for (let count = 0; count < 3; count++) await service.call('/livez');
  await Bun.sleep(50);
  return {
    connection,
    finish: () => connection.write(text.slice(-10)),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    using connection = await openConnection(url);
    if (!connection) return;
    await Bun.sleep(5);
  }
}
