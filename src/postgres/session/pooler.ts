import { OperatorError } from '../../domain/error.ts';
import type { PostgresAddress } from '../address.ts';
import { openAt, type Connection } from './connection.ts';
import { isSameServer } from './server.ts';

/** A busy pooler may give both sessions their own processes by chance, but hardly each time. */
const rounds = 3;

/**
 * A pooler in transaction mode, such as pgbouncer, mixes sessions up: named statements would meet those of others, and
 * settings would be theirs. Two sessions that are our own are two processes, and stay so.
 */
export async function refuseSharedSessions(one: Connection, address: PostgresAddress): Promise<void> {
  if (!address.ownsSession || !one.backend) return;
  const other = await openAt(one.host, { address });
  try {
    if (!isSameServer(one.server, other.server)) return;
    for (let round = 0; round < rounds; round++) {
      const [pidOfOne, pidOfOther] = [await pidOf(one), await pidOf(other)];
      const isOurs = pidOfOne === one.backend.pid && pidOfOther === other.backend?.pid;
      if (!isOurs || pidOfOne === pidOfOther) {
        throw new OperatorError(
          'The address leads through a pooler that shares sessions, such as a pgbouncer in transaction mode.',
          'Add pgbouncer=true to the address.',
        );
      }
    }
  } finally {
    await other.close();
  }
}

async function pidOf(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row?.pid;
}
