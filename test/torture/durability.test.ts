import { backup } from '../../torture/backup.ts';
import { foundDamage } from '../../torture/damage.ts';
import { diskFull } from '../../torture/disk-full.ts';
import { heldSnapshot } from '../../torture/held-snapshot.ts';
import { ioFaults } from '../../torture/io-faults.ts';
import { kill } from '../../torture/kill.ts';
import { powerCut } from '../../torture/power-cut.ts';
import { syncOrder } from '../../torture/sync-order.ts';
import { expectToHold } from './short-run.ts';

expectToHold(kill, { rounds: 6, controlRounds: 6 });
expectToHold(powerCut, { rounds: 4, controlRounds: 2 });
expectToHold(syncOrder, { rounds: 100 });
expectToHold(ioFaults, { rounds: 3, controlRounds: 4 });
expectToHold(backup, { rounds: 1, controlRounds: 1 });
expectToHold(diskFull, { rounds: 1 });
expectToHold(foundDamage, { rounds: 24, controlRounds: 8 });
expectToHold(heldSnapshot, { rounds: 1 });
