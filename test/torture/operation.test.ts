import { clock } from '../../torture/operation/clock.ts';
import { postgres } from '../../torture/operation/postgres.ts';
import { rateLimit } from '../../torture/operation/rate-limit.ts';
import { tlsReload } from '../../torture/operation/tls-reload.ts';
import { sandboxes } from '../../torture/operation/sandboxes.ts';
import { expectToHold } from '../support/short-run.ts';

expectToHold(clock, { rounds: 10 });
expectToHold(rateLimit, { rounds: 1 });
expectToHold(sandboxes, { rounds: 12 });
expectToHold(postgres, { rounds: 3, isControlSlow: true });
expectToHold(tlsReload, { rounds: 12 });
