import { describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fixedKey, startService, type Service } from '../support/process/process.ts';
import { withDescriptors } from '../support/process/few-descriptors.ts';
import { readPets } from '../support/journal.ts';
import { openConnection, type RawOutcome, type RawConnection } from '../support/http/raw-http.ts';

const limit = 128;
/** More than there are descriptors for. */
const crowdSize = 300;

const withFewDescriptors = withDescriptors(limit);

describe.skipIf(process.platform !== 'linux')('a service without a free descriptor', () => {
  it('serves open connections, loses nothing, and accepts new ones once others close', async () => {
    await using service = await startService({ wrap: withFewDescriptors });
    using inside = await enter(service);
    using crowd = await openCrowd(service);
    // The writer opens its files for the first write; its response must match the store.
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push(statusOf(await create(inside, `full ${count}`)));
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(statusOf(await inside.send('GET', '/v1/pets', { key: fixedKey }))).toBe(200);

    crowd[Symbol.dispose]();
    using later = await enter(service);
    await untilCreated(later, 'room again');
    const created = statuses.flatMap((status, count) => (status === 201 ? [`full ${count}`] : []));
    expect(readPets(service.database).map(({ name }) => name)).toEqual([...created, 'room again']);
    expect(await service.stop()).toBe(0);
    expect(service.stdout).not.toContain('crash');
  });

  it('stops with status 0', async () => {
    await using service = await startService({ wrap: withFewDescriptors });
    using inside = await enter(service);
    const acknowledged = statusOf(await create(inside, 'before'));
    using crowd = await openCrowd(service);
    const stopped = service.stop();
    await service.untilLogged(/"stopping"/);
    // Whoever says nothing is waited for; this is about the moment of the signal.
    crowd[Symbol.dispose]();
    expect(await stopped).toBe(0);
    expect(acknowledged).toBe(201);
    expect(readPets(service.database).map(({ name }) => name)).toEqual(['before']);
    expect(service.stdout).not.toContain('crash');
  });
});

async function enter(service: Service): Promise<RawConnection> {
  for (;;) {
    const connection = await openConnection(service.url);
    if (connection && statusOf(await connection.send('GET', '/livez')) === 200) return connection;
    connection?.[Symbol.dispose]();
    await Bun.sleep(20);
  }
}

/** Connects more callers than the service can take, and waits until it has no descriptor left. */
async function openCrowd(service: Service): Promise<Disposable> {
  const port = Number(new URL(service.url).port);
  const sockets = await Promise.all(
    Array.from({ length: crowdSize }, () => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {});
      return new Promise<Socket>((resolve) => {
        socket.once('connect', () => resolve(socket));
        socket.once('close', () => resolve(socket));
      });
    }),
  );
  while (readdirSync(`/proc/${service.pid}/fd`).length < limit) await Bun.sleep(5);
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function create(connection: RawConnection, name: string): Promise<RawOutcome> {
  const body = JSON.stringify({ name, categoryId: 1 });
  return connection.send('POST', '/v1/pets', { key: fixedKey, body });
}

async function untilCreated(connection: RawConnection, name: string): Promise<void> {
  while (statusOf(await create(connection, name)) !== 201) await Bun.sleep(50);
}

function statusOf(answer: RawOutcome | undefined): number | string | undefined {
  return typeof answer === 'object' ? answer.status : answer;
}
