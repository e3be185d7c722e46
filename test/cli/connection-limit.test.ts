import { describe, expect, it } from 'bun:test';
import { cpuSeconds } from '../../bench/process-figures.ts';
import { fixedKey, makeFolder, runCli, startService, type Service } from '../process.ts';
import { openConnection, type RawConnection } from './raw-http.ts';

const limit = 50;
/** What the service may open besides its connections is not told apart from them. */
const tolerance = 20;
const crowdSize = 120;
const timeoutMs = 60_000;
const maxConnections = ['--max-connections', String(limit)];

describe.skipIf(process.platform !== 'linux')('--max-connections', () => {
  it(
    'serves so many at once, on open connections all the time, and the others when those leave',
    async () => {
      using folder = makeFolder();
      // A first start would write a key before anybody comes.
      await runCli(['keys', 'create', '--name', 'first', '--database-url', folder.database]);
      await using service = await startService({ args: maxConnections, databaseUrl: folder.database });
      using crowd = await openCrowd(service);
      const inside = await crowd.untilFull();
      expect(inside.length).toBeWithin(limit, limit + tolerance);

      // At the limit of its descriptors, the runtime alone would try to accept without pause, with a whole core.
      const usedBefore = cpuSeconds([service.pid]);
      await Bun.sleep(1000);
      expect(cpuSeconds([service.pid]) - usedBefore).toBeLessThan(0.3);

      for (let round = 0; round < 5; round++) {
        // The first create opens the writer's connection to the store, with the house full.
        const answers = await Promise.all(inside.map((caller) => create(caller, `round ${round}`)));
        expect(new Set(answers)).toEqual(new Set([201]));
      }
      expect(crowd.served()).toHaveLength(inside.length);

      for (const caller of inside) caller.connection[Symbol.dispose]();
      await crowd.untilServed(crowdSize);
      expect(await service.call('/v1/pets').then(({ status }) => status)).toBe(200);
      expect(await service.stop()).toBe(0);
    },
    timeoutMs,
  );

  it(
    'lets a full service stop like any other',
    async () => {
      await using service = await startService({ args: maxConnections });
      using crowd = await openCrowd(service);
      const inside = await crowd.untilFull();

      const stopped = service.stop();
      const answers = await Promise.all(inside.map(({ connection }) => connection.send('GET', '/livez')));
      expect(answers.filter((answer) => typeof answer !== 'string' && answer.status !== 200)).toEqual([]);
      expect(await stopped).toBe(0);
      expect(service.stdout).not.toMatch(/"level":"(?:error|warn)"/);
    },
    timeoutMs,
  );

  it('is refused when it is no positive number', async () => {
    expect(startService({ args: ['--max-connections', '0'] })).rejects.toThrow(
      '--max-connections (MAX_CONNECTIONS) must be an integer from 1 to 999999, not "0".',
    );
  });
});

interface Caller {
  connection: RawConnection;
  isServed: boolean;
}

interface Crowd extends Disposable {
  served(): Caller[];
  untilServed(count: number): Promise<void>;
  /** Those who are served at last while the others wait. */
  untilFull(): Promise<Caller[]>;
}

/** Everybody connects and asks once. */
async function openCrowd(service: Service): Promise<Crowd> {
  const callers = await Promise.all(
    Array.from({ length: crowdSize }, async (): Promise<Caller> => {
      const connection = await openConnection(service.url);
      if (!connection) throw new Error('A caller was turned away.');
      return { connection, isServed: false };
    }),
  );
  for (const caller of callers) {
    void caller.connection.send('GET', '/livez').then((answer) => {
      caller.isServed = typeof answer !== 'string' && answer.status === 200;
    });
  }
  const served = () => callers.filter(({ isServed }) => isServed);
  const untilServed = async (count: number) => {
    while (served().length < count) await Bun.sleep(10);
  };
  return {
    served,
    untilServed,
    async untilFull() {
      await untilServed(limit);
      // Long enough for a service without a limit to serve everybody.
      await Bun.sleep(500);
      return served();
    },
    [Symbol.dispose]() {
      for (const { connection } of callers) connection[Symbol.dispose]();
    },
  };
}

async function create({ connection }: Caller, name: string): Promise<number | string> {
  const body = JSON.stringify({ name, categoryId: 1 });
  const answer = await connection.send('POST', '/v1/pets', { key: fixedKey, body });
  return typeof answer === 'string' ? answer : answer.status;
}
