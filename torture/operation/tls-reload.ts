import { certificates, placeCertificate, servedFingerprint } from '../../test/support/http/certificates.ts';
import { openConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey, makeFolder, type Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const everyMs = 100;
/** As many callers that keep their connection as callers that open one for each request. */
const callersOfAKind = 8;
const takesEffectWithinMs = 60_000;

interface Count {
  signals: number;
  reloads: number;
  connections: number;
  requests: number;
  /** By a reload that closes the port of the server before. */
  resets: number;
  failed: Map<string, number>;
}

const run: Run = async ({ rounds, report, program }) => {
  const figures: Record<string, number> = {};
  const faults: string[] = [];
  for (const [workers, signals] of [
    [1, Math.ceil(rounds / 2)],
    [2, Math.floor(rounds / 2)],
  ] as const) {
    const name = workers === 1 ? '1 worker' : `${workers} workers`;
    const count: Count = { signals, reloads: 0, connections: 0, requests: 0, resets: 0, failed: new Map() };
    faults.push(
      ...(await reloadUnderLoad(workers, count, report, program)).map((fault) => `${name}: ${fault}`),
    );
    faults.push(...[...count.failed].map(([kind, times]) => `${name}: ${times} requests ${kind}`));
    figures[`signals, ${name}`] = signals;
    figures[`reloads, ${name}`] = count.reloads;
    figures[`new connections, ${name}`] = count.connections;
    figures[`requests, ${name}`] = count.requests;
    figures[`reset and repeated, ${name}`] = count.resets;
    figures[`failed, ${name}`] = failures(count);
  }
  return { figures, faults };
};

async function reloadUnderLoad(
  workers: number,
  count: Count,
  report: (progress: string) => void,
  program: string | undefined,
): Promise<string[]> {
  using folder = makeFolder();
  const { first, renewed } = certificates;
  const files = placeCertificate(folder.path, first);
  await using service = await serve({ workers, args: files.args, program });
  const stopping = new AbortController();
  const callers = Array.from({ length: callersOfAKind * 2 }, (_, index) =>
    callUntil(stopping.signal, service, count, index < callersOfAKind),
  );
  let last = first;
  for (let sent = 1; sent <= count.signals; sent++) {
    last = sent % 2 === 1 ? renewed : first;
    files.install(last);
    process.kill(service.pid, 'SIGHUP');
    await Bun.sleep(everyMs);
    report(`${sent} signals, ${workers} workers, ${count.requests} requests, ${failures(count)} failed`);
  }
  const isServed = await untilServed(service, last.fingerprint);
  stopping.abort();
  await Promise.all(callers);
  count.reloads = service.stdout.match(/"TLS certificate reloaded"/g)?.length ?? 0;
  return isServed ? [] : ['the last certificate is not served'];
}

/** A connection is kept until the service asks to close it. What a reload resets is repeated once; that must succeed. */
async function callUntil(
  signal: AbortSignal,
  { url }: Service,
  count: Count,
  isKept: boolean,
): Promise<void> {
  const fail = (kind: string) => count.failed.set(kind, (count.failed.get(kind) ?? 0) + 1);
  let isRepeated = false;
  while (!signal.aborted) {
    using connection = await openConnection(url);
    count.connections += 1;
    let goesOn = true;
    while (goesOn && !signal.aborted) {
      count.requests += 1;
      const response = await connection?.send('GET', '/v1/pets', { key: fixedKey });
      const isReset = response === undefined || response === 'unanswered';
      if (isReset) count.resets += 1;
      if (isReset && isRepeated) fail('failed twice');
      if (response === 'truncated') fail('were truncated');
      if (response instanceof Response && response.status !== 200) fail(`got ${response.status}`);
      isRepeated = isReset;
      // Two workers stop their old servers at about the same time.
      if (isReset) await Bun.sleep(50);
      goesOn = isKept && response instanceof Response && response.headers.get('Connection') !== 'close';
    }
  }
}

async function untilServed({ url }: Service, fingerprint: string): Promise<boolean> {
  const deadline = performance.now() + takesEffectWithinMs;
  while (performance.now() < deadline) {
    const served = await Promise.all(Array.from({ length: 12 }, () => servedFingerprint(url)));
    if (served.every((one) => one === fingerprint)) return true;
    await Bun.sleep(everyMs);
  }
  return false;
}

function failures({ failed }: Count): number {
  return [...failed.values()].reduce((total, times) => total + times, 0);
}

export const tlsReload: TortureTest = {
  name: 'tls-reload',
  description: `SIGHUP every ${everyMs} ms under load over TLS, on kept and new connections, with 1 and 2 workers; certificates alternate`,
  passesWhen: 'every request succeeds, repeated once at most; the last certificate is served',
  rounds: 400,
  unit: 'signals',
  run,
  control: {
    description: 'the server with the old certificate stops before the new one listens',
    rounds: 10,
    run: againstBroken(run, [
      {
        file: 'src/server/listener.ts',
        find: 'const previous = current;',
        replace: 'const previous = current; await previous.stop(true); await Bun.sleep(200);',
      },
    ]),
  },
};
