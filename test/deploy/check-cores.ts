// Runs a service per core as docs/scale.md says: two by the unit template, on PostgreSQL and one machine, behind HAProxy.
// Restarts them one after the other under load.
//   bun test/deploy/check-cores.ts       needs: apt-get install haproxy
import { randomInt } from 'node:crypto';
import { refuseTakenPort } from '../../src/server/listener.ts';
import { readDeployFile } from './files.ts';
import { haproxyFor } from './haproxy.ts';
import { addPet, idsOf } from '../support/http/calls.ts';
import { freePort } from '../support/http/free-port.ts';
import { openCaller } from '../support/http/raw-http.ts';
import { scrape } from '../support/metrics/scrape.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { fixedKey, makeFolder, startService, type Service } from '../support/process/process.ts';
import { startProgram } from '../support/process/running.ts';
import { report, untilTrue } from './report.ts';

const callerCount = 8;
const restMs = 2000;

const unit = readDeployFile('systemd/petstore@.service');
const [, template = ''] = /^ExecStart=\S+ serve (.+)$/m.exec(unit) ?? [];

await check();
// The database server lives as long as this process.
process.exit();

async function check(): Promise<void> {
  const { address: databaseUrl } = await makePostgresPlace();
  const start = (port: number) =>
    startService({
      databaseUrl,
      args: template.replaceAll('%i', String(port)).split(' '),
      env: { STOP_DELAY: undefined },
    });
  const ports: [number, number] = [portOfFourDigits(), portOfFourDigits()];
  await using stack = new AsyncDisposableStack();
  const services: Service[] = [];
  stack.defer(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
  });
  for (const port of ports) services.push(await start(port));
  await addPet(services[0]!.call);
  for (const { call } of services) expectEqual(idsOf(await (await call('/v1/pets')).text()).length, 1);
  report('two services start by the unit template and share a store');
  for (const port of ports)
    expectEqual((await scrape(`http://127.0.0.1:1${port}/metrics`)).value('petstore_store_ready'), 1);
  report('each has its metrics at its port with a 1 before it');

  const folder = stack.use(makeFolder());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  stack.use(startProgram(haproxyFor(folder.path, port, ports), { cwd: folder.path, env: process.env }));
  await untilTrue('HAProxy has found a service', async () => (await fetch(`${url}/readyz`)).ok);

  const outcomes = new Map<string | number, number>();
  const ending = new AbortController();
  const load = Array.from({ length: callerCount }, async () => {
    using caller = openCaller({ url: () => url, how: 'exchange' });
    while (!ending.signal.aborted) {
      const response = await caller.send('GET', '/v1/pets', { key: fixedKey });
      const outcome = typeof response === 'string' ? response : response.status;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await Bun.sleep(5);
    }
  });
  for (const [index, ownPort] of ports.entries()) {
    await Bun.sleep(restMs);
    expectEqual(await services[index]!.stop(), 0);
    await services[index]![Symbol.asyncDispose]();
    services[index] = await start(ownPort);
  }
  await Bun.sleep(restMs);
  ending.abort();
  await Promise.all(load);
  expectEqual([...outcomes.keys()].join(), '200');
  report(`of ${outcomes.get(200)} requests, none failed while both were restarted one after the other`);
}

/** The template puts a 1 before it, and 65535 is the last. */
function portOfFourDigits(): number {
  for (;;) {
    const port = randomInt(2000, 10_000);
    try {
      refuseTakenPort({ host: '127.0.0.1', port });
      return port;
    } catch {
      // Somebody has it.
    }
  }
}

function expectEqual<Value>(found: Value, expected: Value): void {
  if (found !== expected) throw new Error(`Expected ${String(expected)}, found ${String(found)}.`);
}
