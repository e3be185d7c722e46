import type { Counter, Registry } from '../metrics/registry.ts';
import type { KeyWatch } from './keys/key-watch.ts';
import type { SessionGroup } from './session/group.ts';

export function createPostgresCounters(registry: Registry): Record<'failovers' | 'unknownOutcomes', Counter> {
  return {
    failovers: registry
      .counter('petstore_postgres_failovers_total', 'Changes from one database server to another.')
      .with({}),
    unknownOutcomes: registry
      .counter(
        'petstore_postgres_unknown_outcomes_total',
        'Write statements that may or may not have been committed, because their session was lost.',
      )
      .with({}),
  };
}

export function addPostgresGauges(registry: Registry, group: SessionGroup, watch: KeyWatch): void {
  registry.gauge(
    'petstore_postgres_server_info',
    'The database server in use; no sample while there is none.',
    () => {
      const inUse = group.inUse();
      if (!inUse) return [];
      const { host, server } = inUse;
      const labels = {
        server_address: host.host,
        server_port: String(host.port),
        system: server.system,
        timeline: String(server.timeline),
      };
      return [{ labels, value: 1 }];
    },
  );
  registry.gauge(
    'petstore_postgres_sessions',
    'Open sessions on the database server in use.',
    () => group.inUse()?.sessionCount ?? 0,
  );
  registry.gauge(
    'petstore_postgres_key_check_age_seconds',
    'Time since the keys were last confirmed. It grows while there are no requests.',
    () => watch.ageMs() / 1000,
  );
}
