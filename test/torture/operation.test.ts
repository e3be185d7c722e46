import { clock } from '../../torture/operation/clock.ts';
import { rateLimit } from '../../torture/operation/rate-limit.ts';
import { sandboxes } from '../../torture/operation/sandboxes.ts';
import { expectToHold } from '../support/short-run.ts';

expectToHold(clock, 10);
expectToHold(rateLimit, 1);
expectToHold(sandboxes, 6);
