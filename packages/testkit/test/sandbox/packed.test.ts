import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { freePort } from '../../../../test/support/http/free-port.ts';
import { collect } from '../../../../test/support/process/collect.ts';
import { installPackages, outputOf, project, run } from '../../../../test/support/process/package.ts';
import { makeFolder, type Folder } from '../../../../test/support/process/process.ts';
import { complaintsAbout, installTools, nodes, tools } from '../../../../test/support/process/tools.ts';

/** Uses the package as a test suite would, and prints one line. */
const program = `
import { startSandbox } from 'petstore-testkit';
const sandboxes = await Promise.all([startSandbox({ count: 3 }), startSandbox({ count: 5, stableOnly: true })]);
const call = ({ url, apiKey }, path, init = {}) =>
  fetch(url + path, { ...init, headers: { Authorization: 'Bearer ' + apiKey, 'Content-Type': 'application/json' } });
const pet = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };
const seen = [];
for (const sandbox of sandboxes) {
  const count = async () => (await (await call(sandbox, '/v1/pets')).json()).length;
  seen.push((await call(sandbox, '/v1/pets', pet)).status, await count());
  await sandbox.reset();
  seen.push(await count(), (await call(sandbox, '/v1/pets/1')).status);
}
await sandboxes[0].addFault({ operation: 'getPet', fault: 'status=404' });
seen.push((await call(sandboxes[0], '/v1/pets/1')).status);
const [{ id }] = await sandboxes[0].requests();
seen.push((await sandboxes[0].requests(id)).map(({ fault }) => fault).join());
await sandboxes[0].clearRequests();
seen.push((await sandboxes[0].requests()).length);
seen.push(await sandboxes[0].addFault({ operation: 'fly' }).catch((error) => error.message.includes('operation')));
seen.push(await startSandbox({ faults: 'fly=1' }).catch((error) => error.message.includes('not a fault')));
await sandboxes[0].stop();
seen.push(await call(sandboxes[0], '/v1/pets').catch(() => 'refused'));
// The other one ends with this program, which does not wait for it.
console.log(seen.join(' '), sandboxes[1].url);
`;

/** Compiles only with the right declarations. */
const typedProgram = `
import { startSandbox, type Sandbox } from 'petstore-testkit';
export async function use(): Promise<string> {
  await using sandbox: Sandbox = await startSandbox({ seed: 1, count: 2, port: 0, apiKey: 'k', faults: 'status=503', mutant: 1 });
  await sandbox.reset();
  await sandbox.addFault({ operation: 'createPet', fault: 'status=503', count: 2 });
  await sandbox.clearFaults();
  const [request] = await sandbox.requests(7);
  const status: number | null | undefined = request?.status;
  await sandbox.clearRequests();
  // @ts-expect-error there is no such operation
  await sandbox.addFault({ operation: 'sellPet', fault: 'status=503' });
  return sandbox.url + sandbox.apiKey + status;
}
// @ts-expect-error there is no such option
void startSandbox({ size: 1 });
`;

/** The samples of the package's page. */
const page = readFileSync(join(project, 'packages/testkit/README.md'), 'utf8');
const [vitestSample = '', nodeSample = ''] = Array.from(
  page.matchAll(/^```js\n(.*?)^```/gms),
  ([, sample = '']) => sample,
);
const vitest = join(tools, 'node_modules/vitest');

let folder: Folder;
let tarballs: Awaited<ReturnType<typeof installPackages>>;

beforeAll(async () => {
  folder = makeFolder();
  tarballs = await installPackages(folder.path);
  await installTools();
  symlinkSync(vitest, join(folder.path, 'node_modules/vitest'));
  await Bun.write(join(folder.path, 'program.mjs'), program);
  await Bun.write(join(folder.path, 'vitest.test.mjs'), vitestSample);
  await Bun.write(join(folder.path, 'bun.test.mjs'), vitestSample.replace("'vitest'", "'bun:test'"));
  await Bun.write(join(folder.path, 'node.test.mjs'), nodeSample);
  await Bun.write(join(folder.path, 'program.ts'), typedProgram);
});

afterAll(() => folder[Symbol.dispose]());

describe('petstore-testkit, installed from the tarball', () => {
  it.each([...nodes, ['Bun', process.execPath]])(
    'starts, resets and stops sandboxes on %s',
    async (_name, runtime) => {
      const output = await outputOf([runtime, 'program.mjs'], folder.path);
      const [, seen, forgotten = ''] = /^(.*) (http:\S+)\n$/.exec(output) ?? [];
      expect(seen).toBe('201 4 3 200 201 6 5 200 404 ,status=404 0 true true refused');
      // It ends by itself; this waits for it.
      while (
        await fetch(forgotten).then(
          () => true,
          () => false,
        )
      )
        await Bun.sleep(20);
    },
  );

  it.each([
    ['npx', ['npx']],
    ['bunx', [process.execPath, 'x']],
  ])('serves with %s petstore-sandbox', async (_name, runner) => {
    const command = [...runner, 'petstore-sandbox', '--json', '--stop-with-stdin'];
    const child = Bun.spawn(command, { cwd: folder.path, stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await collect(child.stdout).untilMatch(/^.*\n/);
    const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
    const headers = { Authorization: `Bearer ${apiKey}` };
    expect(await (await fetch(`${url}/v1/pets?limit=100`, { headers })).json()).toHaveLength(100);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  it.each<string[]>([
    ['Vitest', 'node', join(vitest, 'vitest.mjs'), 'run', 'vitest.test.mjs'],
    ['Node', 'node', '--test', 'node.test.mjs'],
    ['Bun', process.execPath, 'test', './bun.test.mjs'],
  ])('works in a test of %s as the README shows', async (_name, ...command) => {
    const { status, stdout, stderr } = await run(command, folder.path);
    const output = Bun.stripANSI(stdout + stderr);
    expect(output).toMatch(/\b(?:1 pass|pass 1)/);
    expect(status, output).toBe(0);
  });

  it('has petstore-conform for Node alone, and a sandbox that asks for the server', async () => {
    using empty = makeFolder();
    const commander = join(project, 'node_modules/commander');
    const dependencies = { commander: `file:${commander}`, 'petstore-testkit': `file:${tarballs.testkit}` };
    const manifest = { private: true, dependencies, overrides: { commander: '$commander' } };
    await Bun.write(join(empty.path, 'package.json'), JSON.stringify(manifest));
    await outputOf(['npm', 'install', '--offline', '--no-audit', '--no-fund'], empty.path);
    const modules = join(empty.path, 'node_modules');
    expect(
      readdirSync(modules)
        .filter((name) => !name.startsWith('.'))
        .toSorted(),
    ).toEqual(['commander', 'petstore-testkit']);
    expect(existsSync(join(modules, 'petstore-testkit/src/cli/petstore-conform.ts'))).toBe(false);

    await using sandbox = await startSandbox();
    const conform = join(modules, '.bin/petstore-conform');
    const check = [conform, sandbox.url, '--api-key', sandbox.apiKey, '--profile'];
    for (const [name, node] of nodes) {
      // The oldest Node has the fewest APIs, so it runs every check.
      const command = [node, ...check, node === 'node' ? 'strict' : 'contract'];
      expect(await outputOf(command, empty.path), name).toContain(': all passed; ');
    }
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const refused = await run(['node', conform, nobody, '--api-key', 'key'], empty.path);
    expect(refused.stderr).toContain('(ECONNREFUSED)');

    const bin = join(modules, '.bin/petstore-sandbox');
    const withoutBun = await run([bin], empty.path, { PATH: '/usr/bin:/bin' });
    expect(withoutBun).toEqual({
      status: 2,
      stdout: '',
      stderr: 'petstore-sandbox: It needs Bun and the server. Install both: npm install -D petstore-server\n',
    });
    symlinkSync(process.execPath, join(empty.path, 'bun'));
    const withBun = await run([bin], empty.path, { PATH: `${empty.path}:/usr/bin:/bin` });
    expect(withBun).toEqual({
      status: 2,
      stdout: '',
      stderr: 'petstore-sandbox: It runs the service. Install it as well: npm install -D petstore-server\n',
    });
  });

  it('is clean under the linters of packages, as the server is', async () => {
    expect(await complaintsAbout(tarballs.testkit)).toBe('');
    // The server's only module runs on Bun alone, from source: it has no types in the sense of attw.
    expect(await complaintsAbout(tarballs.server, false)).toBe('');
  });

  it('has its types', async () => {
    const options = '--noEmit --strict --exactOptionalPropertyTypes --module nodenext';
    const library = '--target es2022 --lib esnext,dom --types';
    const tsc = join(project, 'node_modules/.bin/tsc');
    const command = [tsc, ...options.split(' '), ...library.split(' '), '', 'program.ts'];
    expect(await outputOf(command, folder.path)).toBe('');
  });
});
