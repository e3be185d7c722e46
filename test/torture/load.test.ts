import { descriptors } from '../../torture/load/descriptors.ts';
import { slowClients } from '../../torture/load/slow-clients.ts';
import { expectToHold } from './short-run.ts';

expectToHold(slowClients, 20);
expectToHold(descriptors, 1);
