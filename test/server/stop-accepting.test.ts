import { expect, it } from 'bun:test';
import { findListeningSockets } from '../../src/system/listening-sockets.ts';
import { stopAccepting } from '../../src/system/stop-accepting.ts';

it.if(process.platform === 'linux')('serves a connection that was waiting to be accepted', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('served') });
  const caller = Bun.spawn(
    [process.execPath, '-e', `console.log(await (await fetch('${server.url.href}')).text())`],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  // The event loop is busy until the caller waits in the kernel's queue.
  while (!isWaiting(server.port ?? 0)) Bun.sleepSync(5);
  await stopAccepting(findListeningSockets(server.port ?? 0));
  expect(await caller.stdout.text()).toBe('served\n');
  expect(await fetch(server.url).catch((error: Error) => error)).toBeInstanceOf(Error);
  await server.stop(true);
});

/** The fifth field of a listening socket in proc_net_tcp(5) ends with the length of its queue. */
function isWaiting(port: number): boolean {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const { stdout } = Bun.spawnSync(['cat', '/proc/net/tcp']);
  const line = stdout
    .toString()
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find(([, local = '', , state]) => local.endsWith(address) && state === '0A');
  return line?.[4]?.endsWith(':00000001') ?? false;
}
