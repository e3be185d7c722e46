import { expect, it } from 'bun:test';
import { findListeningSockets } from '../../src/system/listening-sockets.ts';
import { steerConnections } from '../../src/system/steer-connections.ts';

it.if(process.platform === 'linux')('sends new connections to the server at a position', async () => {
  const listen = (name: string, port: number) =>
    Bun.serve({ port, hostname: '127.0.0.1', reusePort: true, fetch: () => new Response(name) });
  const first = listen('first', 0);
  const port = first.port ?? 0;
  const [socket = -1] = findListeningSockets(port);
  const second = listen('second', port);
  const whoServes = async () => {
    const calls = Array.from({ length: 30 }, () => fetch(first.url, { keepalive: false }));
    const names = await Promise.all(calls.map(async (call) => (await call).text()));
    return [...new Set(names)].toSorted();
  };
  expect(await whoServes()).toEqual(['first', 'second']);
  steerConnections(socket, 1);
  expect(await whoServes()).toEqual(['second']);
  steerConnections(socket, 0);
  expect(await whoServes()).toEqual(['first']);
  // Nobody has this position.
  steerConnections(socket, 2);
  expect(await whoServes()).toEqual(['first', 'second']);
  // The last takes the position of the one that is gone.
  steerConnections(socket, 1);
  const origin = first.url;
  await first.stop(true);
  const call = await fetch(origin, { keepalive: false });
  expect(await call.text()).toBe('second');
  await second.stop(true);
});
