import { descriptors } from '../../torture/load/descriptors.ts';
import { overload } from '../../torture/load/overload.ts';
import { rollingRestart } from '../../torture/load/rolling-restart.ts';
import { slowClients } from '../../torture/load/slow-clients.ts';
import { soak } from '../../torture/load/soak.ts';
import { truthfulMetrics } from '../../torture/load/truthful-metrics.ts';
import { expectToHold } from '../support/short-run.ts';

expectToHold(slowClients, { rounds: 40, isControlSlow: true });
expectToHold(overload, { rounds: 2, isControlSlow: true });
expectToHold(truthfulMetrics, { rounds: 2 });
expectToHold(soak, { rounds: 2, isControlSlow: true });
expectToHold(descriptors, { rounds: 1, isControlSlow: true });
expectToHold(rollingRestart, { rounds: 2 });
