import { descriptors } from '../../torture/descriptors.ts';
import { overload } from '../../torture/overload.ts';
import { rollingRestart } from '../../torture/rolling-restart.ts';
import { slowClients } from '../../torture/slow-clients.ts';
import { soak } from '../../torture/soak.ts';
import { expectToHold } from '../support/short-run.ts';

expectToHold(slowClients, { rounds: 40, controlRounds: 40 });
expectToHold(overload, { rounds: 2, controlRounds: 1 });
expectToHold(soak, { rounds: 2, controlRounds: 1 });
expectToHold(descriptors, { rounds: 1 });
expectToHold(rollingRestart, { rounds: 2 });
