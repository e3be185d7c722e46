import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
const file = join(folder.path, 'haproxy.cfg');
writeFileSync(file, configure(Number(PORT), ports));
await Bun.spawn(['haproxy', '-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] }).exited;

/** HAProxy's configuration for replicas, with the two servers that docs/scale.md puts in the place of its own. */
function configure(ownPort: number, [first, second]: [number, number]): string {
  const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
  const servers = read('docs/scale.md').match(/^ +server petstore-808\d .*\n/gm) ?? [];
  return read('deploy/haproxy/haproxy.cfg')
    .replace('bind :80', `bind 127.0.0.1:${ownPort}`)
    .replace(/^( +server replica-\d .*\n)+/m, servers.join(''))
    .replaceAll('8081', String(first))
    .replaceAll('8082', String(second));
}
