import type { Log } from '../../domain/log.ts';
import type { Counter } from '../../metrics/registry.ts';
import type { Host } from './config.ts';
import { isSameServer, type Server } from './server.ts';

/** Logs which server is in use, every change, and once that there is none. */
export interface ServerReport {
  inUse(host: Host, server: Server | undefined): void;
  noServer(error: unknown): void;
}

export function createServerReport(log: Log | undefined, failovers: Counter | undefined): ServerReport {
  let last: Server | undefined;
  let lastHost: Host | undefined;
  let isFirst = true;
  let isWithout = false;
  return {
    inUse(host, server) {
      const fields = {
        server: `${host.host}:${host.port}`,
        system: server?.system,
        timeline: server?.timeline,
      };
      const isOther = last?.system !== server?.system || last?.timeline !== server?.timeline;
      if (isFirst) log?.info('using database server', fields);
      else if (isOther || lastHost !== host) {
        failovers?.increment();
        log?.warn('The database server has changed.', fields);
      } else if (!isSameServer(server, last)) log?.warn('The database server was restarted.', fields);
      else if (isWithout) log?.info('The database server can be used again.', fields);
      isFirst = false;
      isWithout = false;
      last = server;
      lastHost = host;
    },
    noServer(error) {
      if (isWithout) return;
      isWithout = true;
      const { message, code } = error as { message: string; code?: string };
      log?.warn('No database server can be used.', { reason: message || code });
    },
  };
}
