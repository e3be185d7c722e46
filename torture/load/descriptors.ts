import { connect, type Socket } from 'node:net';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { round } from '../../test/support/statistics.ts';
import { descriptorCount, settledDescriptors } from '../../test/support/process/process-figures.ts';
import { againstBroken } from '../support/against-broken.ts';
import { faultsOf, judgeFile } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const limit = 256;
/** More than there are descriptors for. */
const crowd = 600;
const recoverWithinMs = 10_000;

const withFewDescriptors = (command: string[]): string[] => [
  ...['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'],
  ...command,
];

const run: Run = async ({ rounds, report, broken, isTimed = true }) => {
  await using service = await serve({ broken, wrap: withFewDescriptors });
  const ended = new AbortController();
  void service.exited.then(() => ended.abort());
  const load = startLoad({ url: () => service.url, creators: 4, isPersistent: () => false });
  await load.untilAcknowledged(20);
  const faults: string[] = [];
  let slowest = 0;
  for (let done = 1; done <= rounds && !ended.signal.aborted; done++) {
    const sockets = await Promise.all(Array.from({ length: crowd }, () => open(service)));
    const held = await untilExhausted(service, ended.signal);
    if (held < limit && !ended.signal.aborted) faults.push(`only ${held} of ${limit} descriptors were used`);
    await Bun.sleep(500);
    for (const socket of sockets) socket.destroy();
    // Where times are not judged, the time to close them all does not count.
    if (!isTimed) await settledDescriptors(service.pid, limit / 2);
    const recoveryMs = await untilServed(service);
    slowest = Math.max(slowest, recoveryMs);
    if (recoveryMs > recoverWithinMs) faults.push(`not recovered after ${round(recoveryMs / 1000)} s`);
    report(
      `${done} crowds of ${crowd}, ${held} descriptors held, recovered after ${round(recoveryMs, 0)} ms`,
    );
    if (faults.length > 0) break;
  }
  const isAlive = !ended.signal.aborted;
  // Those that wait for a service that will never respond would wait for ever.
  if (isAlive && faults.length === 0) await load.stop();
  await service.kill9();
  const judgement = judgeFile(service.database, load.journal);
  return {
    figures: {
      'descriptor limit': limit,
      crowds: rounds,
      'connections in a crowd': crowd,
      crashes: isAlive ? 0 : 1,
      'recovery, slowest ms': round(slowest, 0),
      acknowledged: judgement.acknowledged,
      lost: judgement.lost,
    },
    faults: [...faults, ...(isAlive ? [] : ['the service ended']), ...faultsOf(judgement)],
  };
};

/** Half a request, so that the platform takes the connection and keeps it. */
function open(service: Service): Promise<Socket> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write(`GET /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${fixedKey}\r\n`);
      resolve(socket);
    });
    socket.once('close', () => resolve(socket));
  });
}

/** Gives how many descriptors the service has once none is left, or no more are taken. */
async function untilExhausted(service: Service, ended: AbortSignal): Promise<number> {
  let held = 0;
  const startedAt = performance.now();
  while (held < limit && !ended.aborted && performance.now() - startedAt < recoverWithinMs) {
    held = descriptorCount(service.pid);
    await Bun.sleep(10);
  }
  return held;
}

/** Served: ten new connections in a row. */
async function untilServed(service: Service): Promise<number> {
  const startedAt = performance.now();
  for (let inARow = 0; inARow < 10 && performance.now() - startedAt <= recoverWithinMs;) {
    const headers = { Connection: 'close' };
    const response = await service
      .call('/v1/pets?limit=1', { headers, signal: AbortSignal.timeout(2000) })
      .catch(() => undefined);
    inARow = response?.status === 200 ? inARow + 1 : 0;
    if (inARow === 0) await Bun.sleep(50);
  }
  return performance.now() - startedAt;
}

export const descriptors: TortureTest = {
  name: 'descriptors',
  description: `file descriptors limited to ${limit}, ${crowd} connections at once, under load`,
  passesWhen: 'no crash; recovers by itself; nothing lost',
  rounds: 5,
  unit: 'crowds',
  run,
  control: {
    description: 'every request leaves descriptors open',
    rounds: 1,
    run: againstBroken(run, 'leaks'),
  },
};
