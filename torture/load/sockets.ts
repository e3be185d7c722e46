import { readFileSync } from 'node:fs';

/** The states of `/proc/net/tcp` in which the service still holds a connection open. */
const openStates = new Set(['01', '08']);

/** The ports of the callers whose connections to this port the service has not closed: its own view of them. */
export function callersConnectedTo(port: number): Set<number> {
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const portOf = (address = '') => parseInt(address.split(':')[1] ?? '', 16);
  return new Set(
    rows
      .filter(([, local, , state = '']) => portOf(local) === port && openStates.has(state))
      .map(([, , remote]) => portOf(remote)),
  );
}
