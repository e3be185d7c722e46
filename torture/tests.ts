import { backup } from './durability/backup.ts';
import { clock } from './operation/clock.ts';
import { credentials } from './hostile/credentials.ts';
import { damage } from './durability/damage.ts';
import { descriptors } from './load/descriptors.ts';
import { diskFull } from './durability/disk-full.ts';
import { generated } from './hostile/generated.ts';
import { heldSnapshot } from './durability/held-snapshot.ts';
import { histories } from './histories/histories.ts';
import { hostileHttp } from './hostile/hostile-http.ts';
import { hostileJson } from './hostile/hostile-json.ts';
import { identity } from './identity/identity.ts';
import { ioFaults } from './durability/io-faults.ts';
import { kill } from './durability/kill.ts';
import { killBackups } from './durability/kill-backups.ts';
import { killChanges } from './durability/kill-changes.ts';
import { overload } from './load/overload.ts';
import { patroni } from './patroni/patroni.ts';
import { postgres } from './operation/postgres.ts';
import { powerCut } from './durability/power-cut.ts';
import { behindProxies } from './proxies/behind-proxies.ts';
import { rateLimit } from './operation/rate-limit.ts';
import { rollingRestart } from './load/rolling-restart.ts';
import { sandboxes } from './operation/sandboxes.ts';
import { slowClients } from './load/slow-clients.ts';
import { soak } from './load/soak.ts';
import { syncOrder } from './durability/sync-order.ts';
import { truthfulMetrics } from './load/truthful-metrics.ts';
import type { TortureTest } from './support/torture-test.ts';

/** In the order of a full run; the longest comes last. */
export const tortureTests: readonly TortureTest[] = [
  kill,
  killChanges,
  powerCut,
  syncOrder,
  ioFaults,
  diskFull,
  damage,
  heldSnapshot,
  slowClients,
  overload,
  truthfulMetrics,
  descriptors,
  rollingRestart,
  behindProxies,
  histories,
  postgres,
  patroni,
  clock,
  backup,
  killBackups,
  identity,
  hostileHttp,
  hostileJson,
  generated,
  credentials,
  rateLimit,
  sandboxes,
  soak,
];
