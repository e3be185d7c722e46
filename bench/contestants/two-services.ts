import { join } from 'node:path';
import { haproxyFor } from '../../test/deploy/haproxy.ts';
import { freePort } from '../../test/support/http/free-port.ts';
import { makeFolder } from '../load/processes.ts';

/** Two services on one PostgreSQL behind HAProxy, all on one machine, as docs/scale.md describes it. */

const { PORT, CHECKOUT = '' } = process.env;
const program = join(CHECKOUT, 'src/cli/petstore.ts');
const ports: [number, number] = [await freePort(), await freePort()];
for (const port of ports) {
  Bun.spawn([process.execPath, program, 'serve'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  while (!(await isReady().catch(() => false))) await Bun.sleep(5);
}
using folder = makeFolder();
await Bun.spawn(haproxyFor(folder.path, Number(PORT), ports), { stdio: ['ignore', 'ignore', 'inherit'] })
  .exited;
