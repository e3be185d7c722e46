import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { collect } from '../../../../test/support/process/collect.ts';
import { kitPrograms, petstoreCommand, runKit } from '../../../../test/support/process/process.ts';
import {
  makeTemporaryPlace,
  startSandboxProcess,
  statusOf,
  type TemporaryPlace,
} from '../../../../test/support/sandbox/process.ts';

let place: TemporaryPlace;
beforeEach(() => {
  place = makeTemporaryPlace();
});
afterEach(() => place[Symbol.dispose]());

describe('petstore-sandbox', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('is gone without a trace after %s', async (signal) => {
    await using sandbox = await startSandboxProcess(place, ['--api-key', 'mine', '--count', '2']);
    expect([sandbox.apiKey, await statusOf(sandbox)]).toEqual(['mine', 200]);
    expect(place.files().length).toBe(1);
    expect(await sandbox.stop(signal)).toBe(0);
    expect([place.files(), await statusOf(sandbox)]).toEqual([[], 'refused']);
  });

  it('ends with its standard input if it is told to', async () => {
    const command = petstoreCommand(['--json', '--stop-with-stdin'], kitPrograms.sandbox);
    const { env, path: cwd } = place;
    const child = Bun.spawn(command, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    await collect(child.stdout).untilMatch(/^.*\n/);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(place.files()).toEqual([]);
  });

  it('serves the mutant that it is asked for', async () => {
    await using sandbox = await startSandboxProcess(place, ['--mutant', '1']);
    const headers = { Authorization: `Bearer ${sandbox.apiKey}` };
    const pets = (await (await fetch(`${sandbox.url}/v1/pets?limit=5`, { headers })).json()) as unknown[];
    expect(pets.length).toBe(6);
  });

  it.each([
    [['--faults', 'fly=1'], '"fly" is not a fault.'],
    [['--mutant', '9999'], 'No mutant has the number 9999.'],
    [['--without-deprecated'], "Unknown option '--without-deprecated'. See: petstore-sandbox --help"],
    [['--api-key', 'two words'], 'without spaces'],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stdout, stderr } = await runKit('sandbox', args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('refuses a port that is taken, and leaves nothing behind', async () => {
    await using first = await startSandboxProcess(place);
    const { status, stderr } = await runKit('sandbox', ['--port', new URL(first.url).port], {
      env: place.env,
    });
    expect(status).toBe(1);
    expect(stderr).toContain('(EADDRINUSE)');
    expect(place.files().length).toBe(1);
  });
});
