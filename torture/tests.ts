import { damage } from './durability/damage.ts';
import { descriptors } from './load/descriptors.ts';
import { histories } from './histories/histories.ts';
import { ioFaults } from './durability/io-faults.ts';
import { keyTimes } from './hostile/key-times.ts';
import { overload } from './load/overload.ts';
import { patroni } from './patroni/patroni.ts';
import { powerCut } from './durability/power-cut.ts';
import { behindProxies } from './proxies/behind-proxies.ts';
import { slowClients } from './load/slow-clients.ts';
import { soak } from './load/soak.ts';
import type { TortureTest } from './support/torture-test.ts';

/** In the order of a full run; the longest comes last. */
export const tortureTests: readonly TortureTest[] = [
  powerCut,
  ioFaults,
  damage,
  slowClients,
  overload,
  descriptors,
  behindProxies,
  histories,
  patroni,
  keyTimes,
  soak,
];
