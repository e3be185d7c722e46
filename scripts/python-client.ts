// Runs the Python section of docs/clients.md against a service of its own and compares the output. It needs Python
// 3.11 or newer with the generator: pip install openapi-python-client==0.29.0
//   bun scripts/python-client.ts
import { exampleAddress } from '../packages/console/src/docs/code/request.ts';
import { blocksOf } from '../test/support/clients-document.ts';
import { openListeningService } from '../test/support/http/listening.ts';
import { run } from '../test/support/process/package.ts';
import { makeFolder } from '../test/support/process/process.ts';

const { sh = '', python = '', text = '' } = blocksOf('Python');
const [install = '', generate = ''] = sh.trim().split('\n');
if (!Bun.which('openapi-python-client')) {
  console.error(`openapi-python-client is missing. Install it with: ${install}`);
  process.exit(2);
}

await using service = await openListeningService();
using folder = makeFolder();
const here = (shown: string): string => shown.replaceAll(exampleAddress, service.url);
await Bun.write(`${folder.path}/sample.py`, here(python));
const env = { ...process.env, API_KEY: service.apiKey };
const generated = await run(here(generate).split(' '), folder.path, env);
const { stdout, stderr } = await run(['python3', 'sample.py'], folder.path, env);
const isAsShown = stdout === text;
console.log(
  isAsShown ? 'The client for Python works as docs/clients.md shows.' : { generated, stdout, stderr },
);
process.exitCode = isAsShown ? 0 : 1;
