import { backup } from './backup.ts';
import { clock } from './clock.ts';
import { credentials } from './credentials.ts';
import { damage } from './damage.ts';
import { descriptors } from './descriptors.ts';
import { diskFull } from './disk-full.ts';
import { generated } from './generated.ts';
import { heldSnapshot } from './held-snapshot.ts';
import { hostileHttp } from './hostile-http.ts';
import { hostileJson } from './hostile-json.ts';
import { identity } from './identity.ts';
import { ioFaults } from './io-faults.ts';
import { kill } from './kill.ts';
import { overload } from './overload.ts';
import { patroni } from './patroni/patroni.ts';
import { postgres } from './postgres.ts';
import { powerCut } from './power-cut.ts';
import { behindProxies } from './proxies/behind-proxies.ts';
import { rateLimit } from './rate-limit.ts';
import { rollingRestart } from './rolling-restart.ts';
import { slowClients } from './slow-clients.ts';
import { soak } from './soak.ts';
import { syncOrder } from './sync-order.ts';
import type { TortureTest } from './torture-test.ts';

/** In the order of a full run; the longest comes last. */
export const tortureTests: readonly TortureTest[] = [
  kill,
  powerCut,
  syncOrder,
  ioFaults,
  diskFull,
  damage,
  heldSnapshot,
  slowClients,
  overload,
  descriptors,
  rollingRestart,
  behindProxies,
  postgres,
  patroni,
  clock,
  backup,
  identity,
  hostileHttp,
  hostileJson,
  generated,
  credentials,
  rateLimit,
  soak,
];
