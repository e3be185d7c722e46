import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { project, run } from '../../../../test/support/process/package.ts';
import { cleanEnvironment, runKit } from '../../../../test/support/process/process.ts';
import { startProgram } from '../../../../test/support/process/running.ts';
import { mutants } from '../../src/mutants/index.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

const example = (name: string): string => join(project, 'examples', name);
const PETSTORE_API_KEY = 'secret';

function runTester(url: string) {
  return run(['node', example('tester.mjs'), url], project, { ...process.env, PETSTORE_API_KEY });
}

function startExample(env: Record<string, string> = {}) {
  return startProgram(['node', example('service.mjs')], { cwd: project, env: cleanEnvironment(env) });
}

it('finds nothing wrong with the service of examples/, and neither does its tester', async () => {
  await using service = startExample();
  const [url] = await service.stdout.untilMatch(/^.*(?=\n)/);
  const { stdout } = await runKit('conform', [url, '--api-key', PETSTORE_API_KEY]);
  expect(stdout).toContain(': all passed; ');
  expect(await runTester(url)).toMatchObject({ status: 0 });
});

it.each([
  ['finds', 'get-unknown-null', 1],
  ['misses', 'get-id-prefix', 0],
])('has a tester that %s the mutant %s', async (_verb, name, status) => {
  const { wrap } = mutants.find((mutant) => mutant.name === name)!;
  await using sandbox = await startSandbox({ wrap, apiKey: PETSTORE_API_KEY });
  expect((await runTester(sandbox.url)).status).toBe(status);
});

it('finds three causes for its three mistakes', async () => {
  await using service = startExample({ MISTAKES: '1' });
  const [url] = await service.stdout.untilMatch(/^.*(?=\n)/);
  const { status, stdout } = await runKit('conform', [url, '--api-key', PETSTORE_API_KEY]);
  expect(status).toBe(1);
  expect(Array.from(stdout.matchAll(/^FAIL +(\S+)/gm), ([, name]) => name)).toEqual([
    'limits/default',
    'get/unknown-id',
    'int64/category-largest',
  ]);
  expect(stdout).toContain(' failed, 3 findings; ');
});
