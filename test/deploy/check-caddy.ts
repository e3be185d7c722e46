// Runs deploy/caddy/Caddyfile in front of a service: accepts the file, then calls, restarts and stops the service behind it.
//   bun test/deploy/check-caddy.ts       needs: apt-get install caddy
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../../scripts/command.ts';
import { deployFolder, readDeployFile } from './files.ts';
import { freePort } from '../support/http/free-port.ts';
import { fixedKey, makeFolder, startService } from '../support/process/process.ts';
import { startProgram } from '../support/process/running.ts';
import { report, untilTrue } from './report.ts';

await outputOf(['caddy', 'validate', '--config', join(deployFolder, 'caddy/Caddyfile')]);
report('Caddy accepts the file');

using folder = makeFolder();
const servicePort = await freePort();
const port = await freePort();
const url = `https://localhost:${port}`;
const databaseUrl = folder.database;
const start = () => startService({ databaseUrl, args: ['--port', String(servicePort)] });

const file = join(folder.path, 'Caddyfile');
// Its own authority instead of a public one, and ports that need no rights.
const site = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${url} {\n\ttls internal\n`;
const shipped = readDeployFile('caddy/Caddyfile');
writeFileSync(
  file,
  shipped.replace('pets.example {\n', site).replace('127.0.0.1:8080', `127.0.0.1:${servicePort}`),
);
const home = { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
await using caddy = startProgram(['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], {
  cwd: folder.path,
  env: { ...process.env, ...home },
});

const call = (method = 'GET', body: string | null = null): Promise<Response> =>
  fetch(`${url}/v1/pets`, {
    method,
    body,
    headers: { Authorization: `Bearer ${fixedKey}`, 'Content-Type': 'application/json' },
    tls: { rejectUnauthorized: false },
  });
const pet = '{"name":"Rex","categoryId":1}';

{
  await using service = await start();
  await untilTrue('Caddy serves HTTPS', async () => (await call()).status === 200);
  expectEqual((await call('POST', pet)).status, 201);
  report('a create passes through');
  expectEqual(await service.stop(), 0);
}
const waiting = call();
await Bun.sleep(1000);
{
  await using service = await start();
  expectEqual((await waiting).status, 200);
  report('a list that is asked for during a restart waits for the service');
  expectEqual(await service.stop(), 0);
}
const refused = await call();
expectEqual(refused.status, 503);
expectEqual(refused.headers.get('Retry-After'), '1');
expectEqual(((await refused.json()) as { code: string }).code, 'unavailable');
report('a service that is gone is the error of the API');
expectEqual(await caddy.stop(), 0);

function expectEqual<Value>(found: Value, expected: Value): void {
  if (found !== expected) throw new Error(`Expected ${String(expected)}, found ${String(found)}.`);
}
