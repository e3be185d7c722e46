import { credentials } from '../../torture/hostile/credentials.ts';
import { hostileHttp } from '../../torture/hostile/hostile-http.ts';
import { hostileJson } from '../../torture/hostile/hostile-json.ts';
import { expectToHold } from '../support/short-run.ts';

expectToHold(hostileHttp, 1);
expectToHold(hostileJson, 1);
// Response times are judged in the full run alone: here it would depend on the machine.
expectToHold(credentials, 0);
