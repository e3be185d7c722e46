import { damage } from '../../torture/durability/damage.ts';
import { ioFaults } from '../../torture/durability/io-faults.ts';
import { powerCut } from '../../torture/durability/power-cut.ts';
import { histories } from '../../torture/histories/histories.ts';
import { expectToHold } from './short-run.ts';

expectToHold(powerCut, 2);
expectToHold(ioFaults, 3);
expectToHold(damage, 4);
expectToHold(histories, 2);
