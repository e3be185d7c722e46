import { describe, expect, it } from 'bun:test';
import { addPet, nextQuery, rex } from '../support/http/calls.ts';
import { untilUnderWay } from '../support/metrics/scrape.ts';
import {
  cleanEnvironment,
  fixedKey,
  makeFolder,
  petstoreCommand,
  startService,
  type Service,
} from '../support/process/process.ts';
import { readPets, startLoad } from '../support/journal.ts';
import {
  openConnection,
  requestText,
  type RawConnection,
  type RawRequest,
} from '../support/http/raw-http.ts';

const stopping = /"message":"stopping"/;
/** They tell when a request is under way. */
const withMetrics = ['--metrics-port', '0'];

describe('a service under load', () => {
  it('stops with 0, and every executed request got its whole response', async () => {
    await using service = await startService({ args: ['--access-log'] });
    const load = startLoad({ url: () => service.url, creators: 8, isPersistent: () => false });
    const { journal } = load;
    let hasExited = false;
    const isDone = () => hasExited;
    const readers = Array.from({ length: 4 }, (_, index) =>
      readLists({ url: service.url, isDone, label: `reader-${index}` }),
    );
    await load.untilAcknowledged(200);

    const status = await service.stop();
    hasExited = true;
    await load.stop();
    const lists = await Promise.all(readers);

    expect(status).toBe(0);
    expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
    expect(journal.refused).toEqual([]);
    expect(journal.truncatedCount + lists.reduce((sum, { truncatedCount }) => sum + truncatedCount, 0)).toBe(
      0,
    );
    const stored = readPets(service.database).map(({ name }) => name);
    expect(stored.toSorted()).toEqual([...journal.acknowledged.keys()].toSorted());
    // A request without a response came too late to reach the API.
    const unanswered = [...journal.unanswered, ...lists.flatMap((reader) => reader.unanswered)];
    const executed = new Set([...service.stdout.matchAll(/"requestId":"([^"]+)"/g)].map(([, id]) => id));
    expect(executed.size).toBeGreaterThan(200);
    expect(unanswered.filter((id) => executed.has(id))).toEqual([]);
  });
});

describe('a service with a stop delay', () => {
  it('waits for the delay and then stops', async () => {
    await using service = await startService({ env: { STOP_DELAY: '1' } });
    const toldAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - toldAt).toBeGreaterThanOrEqual(1000);
    expect(service.stdout).toContain('"message":"stopping","reason":"SIGTERM","delaySeconds":1');
  });

  it('does not wait at SIGINT, which comes from a person and not from a load balancer', async () => {
    await using service = await startService({ env: { STOP_DELAY: '30' } });
    expect(await service.stop('SIGINT')).toBe(0);
    expect(service.stdout).toContain('"message":"stopping","reason":"SIGINT","delaySeconds":0');
  });

  it('is not ready after the signal, but serves all other requests and closes their connections', async () => {
    await using service = await startService({ env: { STOP_DELAY: '300' } });
    const { headers } = await service.call('/v1/pets');
    const etag = headers.get('ETag') ?? '';
    const requests: [string, string, number, RawRequest][] = [
      ['GET', '/v1/pets', 200, { key: fixedKey }],
      ['GET', '/v1/pets', 304, { key: fixedKey, headers: { 'If-None-Match': etag } }],
      ['POST', '/v1/pets', 201, { key: fixedKey, body: JSON.stringify(rex) }],
      ['GET', '/v1/pets', 401, {}],
      ['OPTIONS', '/v1/pets', 204, {}],
      ['GET', '/readyz', 503, {}],
      ['GET', '/livez', 200, {}],
      ['GET', '/', 200, {}],
    ];
    using kept = await openUsed(service.url);
    void service.stop();
    await service.untilLogged(stopping);
    for (const [index, [method, path, status, request]] of requests.entries()) {
      using connection = index === 0 ? kept : await openConnection(service.url);
      const response = await connection?.send(method, path, request);
      const got = response instanceof Response && [response.status, response.headers.get('Connection')];
      expect([method, path, got]).toEqual([method, path, [status, 'close']]);
      expect(await connection?.receive()).toBe('unanswered');
    }
  });
});

describe('a service that is stopping', () => {
  it('cuts off a request that never ends, and exits with 0', async () => {
    await using service = await startService({ args: withMetrics });
    using slow = await sendHalf(service, 'Endless Rex');
    expect(await service.stop()).toBe(0);
    const outcome = await slow.connection.receive();
    // The time for a body and the time to stop end together.
    expect(outcome instanceof Response ? outcome.status : outcome).toBeOneOf(['unanswered', 400]);
    expect(readPets(service.database)).toEqual([]);
  });

  it('finishes a request whose body is still arriving, and counts a Ctrl-C that arrives twice as one', async () => {
    await using service = await startService({ args: withMetrics });
    using slow = await sendHalf(service, 'Patient Rex');
    // A terminal sends it to every process of the group, and npm passes it on.
    process.kill(service.pid, 'SIGINT');
    const exited = service.stop('SIGINT');
    await untilRefused(service.url);
    slow.finish();
    expect(await slow.connection.receive()).toHaveProperty('status', 201);
    expect(await exited).toBe(0);
    expect(service.stdout.match(/"message":"stopped"/g)).toHaveLength(1);
    expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
    expect(readPets(service.database).map(({ name }) => name)).toEqual(['Patient Rex']);
  });

  it('ends when its terminal is closed', async () => {
    using folder = makeFolder();
    let screen = '';
    const child = Bun.spawn(petstoreCommand(['serve', '--port', '0']), {
      cwd: folder.path,
      env: cleanEnvironment({ DATABASE_URL: folder.database }),
      timeout: 300_000,
      killSignal: 'SIGKILL',
      terminal: {
        cols: 200,
        rows: 40,
        data: (_terminal, data) => (screen += Buffer.from(data).toString()),
      },
    });
    while (!/v1\/pets\s*$/.test(screen)) await Bun.sleep(10);
    child.terminal?.close();
    await child.exited;
    expect(child.signalCode).toBe('SIGHUP');
  });

  it('ignores SIGHUP under nohup', async () => {
    await using service = await startService({ wrap: (command) => ['nohup', ...command] });
    process.kill(service.pid, 'SIGHUP');
    for (let count = 0; count < 20; count++) {
      expect((await service.call('/v1/pets')).status).toBe(200);
      await Bun.sleep(10);
    }
    expect(await service.stop()).toBe(0);
    expect(service.stdout).not.toContain('SIGHUP');
  });

  it('ends at once with status 1 after a second signal', async () => {
    await using service = await startService({ args: withMetrics, env: { STOP_DELAY: '30' } });
    using slow = await sendHalf(service, 'Abandoned Rex');
    void service.stop();
    await service.untilLogged(stopping);
    // Sooner, it would be taken for the same Ctrl-C, passed on by somebody else.
    await Bun.sleep(600);
    expect(await service.stop()).toBe(1);
    expect(await slow.connection.receive()).toBe('unanswered');
    expect(readPets(service.database)).toEqual([]);
  });
});

describe('readers of events who wait while the service is told to stop', () => {
  it('each get an empty page, and the service ends with 0', async () => {
    await using service = await startService({ args: withMetrics });
    const waiting = Array.from({ length: 6 }, () => readAndWait(service));
    await untilUnderWay(service, waiting.length);
    const status = await service.stop();
    const pages = await Promise.all(waiting);
    for (const { events, next } of pages)
      expect([events, next]).toEqual([[], expect.stringContaining('after=')]);
    // By itself, a wait ends no sooner.
    expect(Math.min(...pages.map(({ ms }) => ms))).toBeLessThan(5000);
    expect(status).toBe(0);
    expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
  });

  it('wait on during the stop delay, or they would return at once', async () => {
    await using service = await startService({ args: withMetrics, env: { STOP_DELAY: '300' } });
    void service.stop();
    await service.untilLogged(stopping);
    const waiting = readAndWait(service);
    await untilUnderWay(service);
    await addPet(service.call);
    expect((await waiting).events).toMatchObject([{ type: 'pet.created' }]);
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

async function readAndWait(service: Service) {
  const startedAt = performance.now();
  const response = await service.call('/v1/events?wait=5');
  const events = (await response.json()) as { type: string }[];
  return { events, next: nextQuery(response), ms: performance.now() - startedAt };
}

/** Begins a create and keeps back the end of its body; returns once the service has begun to read it. */
async function sendHalf(service: Service, name: string): Promise<SlowRequest> {
  const connection = await openUsed(service.url);
  const body = JSON.stringify({ name, categoryId: 1 });
  const text = requestText('POST', '/v1/pets', 'localhost', { key: fixedKey, body });
  connection.write(text.slice(0, -10));
  await untilUnderWay(service);
  return {
    connection,
    finish: () => connection.write(text.slice(-10)),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

/** A connection that has served a request and is idle. */
async function openUsed(url: string): Promise<RawConnection> {
  const connection = await openConnection(url);
  if (!connection) throw new Error('Nobody listens.');
  await connection.send('GET', '/livez');
  return connection;
}

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    using connection = await openConnection(url);
    if (!connection) return;
    await Bun.sleep(5);
  }
}
