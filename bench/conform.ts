import { join } from 'node:path';
import { renderFinding } from '../packages/testkit/src/cli/table.ts';
import { createApi } from '../packages/testkit/src/conform/api.ts';
import { findingsOf } from '../packages/testkit/src/conform/findings.ts';
import { runChecks } from '../packages/testkit/src/conform/run.ts';
import { freePort } from '../test/support/http/free-port.ts';
import { contestantOf, type Contestant } from './contestants/contestants.ts';
import { ownCheckout } from './contestants/start.ts';
import { makePeerStore } from './contestants/templates.ts';
import { cleanUpWhenInterrupted, endFamily, makeFolder, started } from './load/processes.ts';
import { preparePeers } from './prepare.ts';

/** Checks the peers with the contract profile of `petstore-conform`: foreign implementations of the same API. */

const apiKey = 'key-of-the-peers';
const startWithinMs = 60_000;

cleanUpWhenInterrupted();
const peers = ['express', 'fastify', 'hono-node', 'elysia'].map(contestantOf);
await preparePeers(peers);
for (const peer of peers) {
  const failures = await failuresOf(peer);
  process.stdout.write(`${peer.name}: ${failures.length} findings\n\n${failures.join('\n')}\n`);
}

async function failuresOf(peer: Contestant): Promise<string[]> {
  using folder = makeFolder();
  const place = join(folder.path, 'pets.db');
  makePeerStore(place, 0);
  const port = await freePort();
  const cell = { workload: 'list', contestant: peer.id, pets: 0, processes: 1 };
  const { command, env } = peer.start({
    ...cell,
    ...{ port, place, key: apiKey, withEtag: false, checkout: ownCheckout },
  });
  const { PATH, HOME } = process.env;
  const child = started(
    Bun.spawn(command, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  try {
    const api = createApi({ url: `http://127.0.0.1:${port}`, apiKey });
    const giveUpAt = performance.now() + startWithinMs;
    while (!(await api.send({ path: '/pets' }).catch(() => undefined))) {
      if (child.exitCode !== null || performance.now() > giveUpAt)
        throw new Error(`${peer.name} did not start.`);
      await Bun.sleep(20);
    }
    return findingsOf(await runChecks(api)).map(renderFinding);
  } finally {
    endFamily(child);
    await child.exited;
  }
}
