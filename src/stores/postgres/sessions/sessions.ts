import { isDeepStrictEqual } from 'node:util';
import { reasonOf, type Log } from '../../../system/log.ts';
import type { Registry } from '../../../metrics/registry.ts';
import type { PostgresAddress } from '../address.ts';
import { isNewer, type Server } from './server.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

/**
 * The sessions of this process. The invariant: **all of them belong to one server**. If a new session reaches a
 * different server, every older one ends.
 */
export interface Sessions {
  open(options: Omit<SessionOptions, 'address'>): Promise<Session>;
}

export function createSessions(address: PostgresAddress, log?: Log, metrics?: Registry): Sessions {
  const sessions = new Set<Session>();
  /** The last server in use. An older one is never used again. */
  let last: Server | undefined;
  let isWithout = false;
  const failovers = metrics
    ?.counter('petstore_postgres_failovers_total', 'Changes from one database server to another.')
    .with({});
  metrics?.gauge(
    'petstore_postgres_server_info',
    'The database server in use; no sample if there is none.',
    () => {
      if (!last || sessions.size === 0) return [];
      const place = { server_address: address.host, server_port: String(address.port) };
      const labels = { ...place, system: last.system, timeline: String(last.timeline) };
      return [{ labels, value: 1 }];
    },
  );
  metrics?.gauge(
    'petstore_postgres_sessions',
    'Open sessions on the database server in use.',
    () => sessions.size,
  );

  const refuseOlder = (session: Session): void => {
    if (!last || !isNewer(last, session.server)) return;
    session.destroy();
    throw new Error(
      `The server is of timeline ${session.server.timeline}, and timeline ${last.timeline} was used before. ` +
        'If it was restored from a backup, restart the service.',
    );
  };

  const moveTo = (server: Server): void => {
    const { system, timeline } = server;
    const fields = { server: `${address.host}:${address.port}`, system, timeline };
    if (!last) log?.info('using database server', fields);
    else if (last.system !== system || last.timeline !== timeline) {
      failovers?.increment();
      log?.warn('The database server has changed.', fields);
    } else if (isWithout) log?.info('The database server can be used again.', fields);
    if (last && !isDeepStrictEqual(last, server)) {
      for (const session of sessions) session.destroy();
    }
    last = server;
    isWithout = false;
  };

  return {
    async open(options) {
      const onLost = (): void => {
        sessions.delete(session);
        options.onLost?.();
      };
      let session: Session;
      try {
        session = await openSession({ ...options, address, onLost });
        refuseOlder(session);
      } catch (error) {
        if (!isWithout && sessions.size === 0)
          log?.error('No database server can be used.', { reason: reasonOf(error) });
        isWithout = sessions.size === 0;
        throw error;
      }
      moveTo(session.server);
      // The session may have been lost in the meantime.
      if (session.isOpen) sessions.add(session);
      return session;
    },
  };
}
