import type { Counter, Registry } from '../metrics/registry.ts';
import type { PostgresAddress } from './address.ts';
import type { Sessions } from './sessions/sessions.ts';

export function createPostgresCounters(registry: Registry): Record<'failovers' | 'unknownOutcomes', Counter> {
  return {
    failovers: registry
      .counter('petstore_postgres_failovers_total', 'Changes from one database server to another.')
      .with({}),
    unknownOutcomes: registry
      .counter(
        'petstore_postgres_unknown_outcomes_total',
        'Transactions that may or may not have been committed, because COMMIT got no response.',
      )
      .with({}),
  };
}

export function addPostgresGauges(
  registry: Registry,
  { host, port }: PostgresAddress,
  sessions: Sessions,
): void {
  registry.gauge(
    'petstore_postgres_server_info',
    'The database server in use; no sample if there is none.',
    () => {
      const server = sessions.inUse()?.server;
      if (!server) return [];
      const labels = {
        server_address: host,
        server_port: String(port),
        system: server.system,
        timeline: String(server.timeline),
      };
      return [{ labels, value: 1 }];
    },
  );
  registry.gauge(
    'petstore_postgres_sessions',
    'Open sessions on the database server in use.',
    () => sessions.inUse()?.sessionCount ?? 0,
  );
}
