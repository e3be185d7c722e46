import { mkdirSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { isRunning } from '../../../../test/support/process/process-tree.ts';
import {
  cleanEnvironment,
  endProcess,
  kitPrograms,
  makeFolder,
  petstoreCommand,
  runKit,
} from '../../../../test/support/process/process.ts';
import { startProgram, type RunningProgram } from '../../../../test/support/process/running.ts';

let place: TemporaryPlace;
/** A sandbox whose parent is gone: a failing test must not leave it running. */
let orphan: number | undefined;

beforeEach(() => {
  place = makeTemporaryPlace();
});

afterEach(() => {
  if (orphan !== undefined) endProcess(orphan);
  orphan = undefined;
  place[Symbol.dispose]();
});

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await Bun.sleep(20);
}

describe('petstore-sandbox', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('is gone without a trace after %s', async (signal) => {
    await using sandbox = await startSandboxProcess(place, ['--api-key', 'mine', '--count', '2']);
    expect([sandbox.apiKey, await statusOf(sandbox)]).toEqual(['mine', 200]);
    expect(place.files().length).toBe(1);
    expect(await sandbox.stop(signal)).toBe(0);
    expect([place.files(), await statusOf(sandbox)]).toEqual([[], 'refused']);
  });

  it.each([
    ['', []],
    [' with its standard input', ['--stop-with-stdin']],
  ])('ends%s when its parent is killed', async (_title, flags) => {
    const { pid, output } = await orphanSandbox(flags);
    await untilGone(pid);
    orphan = undefined;
    expect(place.files()).toEqual([]);
    if (flags.length > 0) return;
    await output.untilMatch(/The process that started this sandbox is gone, .* --keep-running\.\n/);
  });

  it('outlives its parent with --keep-running, until a signal', async () => {
    const { pid, address } = await orphanSandbox(['--keep-running']);
    // Ten times as long as it takes one to notice without the flag.
    await Bun.sleep(1000);
    expect(await statusOf(address)).toBe(200);
    process.kill(pid, 'SIGTERM');
    await untilGone(pid);
    expect(place.files()).toEqual([]);
  });

  /** A sandbox whose parent has just been killed. */
  async function orphanSandbox(flags: string[]) {
    const command = JSON.stringify(petstoreCommand(['--json', ...flags], kitPrograms.sandbox));
    const program = `
      const child = Bun.spawn(${command}, { stdio: ['pipe', 'inherit', 'inherit'] });
      console.log(child.pid);
      await child.exited;`;
    const parent = startProgram(['sh', '-c', 'exec "$@" 2>&1', 'sh', process.execPath, '-e', program], {
      cwd: place.path,
      env: place.env,
    });
    const output = parent.stdout;
    const [line] = await output.untilMatch(/\{"url".*\n/);
    const pid = Number((await output.untilMatch(/^\d+$/m))[0]);
    orphan = pid;
    expect(isRunning(pid)).toBe(true);
    process.kill(parent.pid, 'SIGKILL');
    return { pid, output, address: JSON.parse(line) as { url: string; apiKey: string } };
  }

  it('is reached from other machines only with --host, and then warns', async () => {
    const other = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    const reached = async (port: string) => {
      const url = `http://${other ?? '127.0.0.2'}:${port}`;
      return fetch(`${url}/livez`).then(
        ({ status }) => status,
        () => 'refused',
      );
    };
    await using alone = await startSandboxProcess(place);
    expect(await reached(new URL(alone.url).port)).toBe('refused');
    await using open = await startSandboxProcess(place, ['--host', '0.0.0.0']);
    expect(open.url).toStartWith('http://127.0.0.1:');
    expect(await reached(new URL(open.url).port)).toBe(200);
    expect(open.stderr.text).toBe(
      'petstore-sandbox: Anyone who reaches 0.0.0.0 can use this sandbox, because its key is no secret. Use it only in a closed network.\n',
    );
    expect(alone.stderr.text).toBe('');
  });

  it('serves the mutant with the requested number', async () => {
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

/** A temporary folder of its own, in which sandboxes keep their stores. */
interface TemporaryPlace extends Disposable {
  path: string;
  env: Record<string, string | undefined>;
  /** What is in it. */
  files(): string[];
}

function makeTemporaryPlace(): TemporaryPlace {
  const folder = makeFolder();
  const path = join(folder.path, 'tmp');
  mkdirSync(path);
  return {
    env: cleanEnvironment({ TMPDIR: path }),
    path,
    files: () => readdirSync(path),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

interface SandboxProcess extends RunningProgram {
  url: string;
  apiKey: string;
}

/** Starts `petstore-sandbox --json` and reads its only line. */
async function startSandboxProcess(at: TemporaryPlace, args: string[] = []): Promise<SandboxProcess> {
  const command = petstoreCommand(['--json', ...args], kitPrograms.sandbox);
  const program = startProgram(command, { cwd: at.path, env: at.env });
  const [line] = await program.stdout.untilMatch(/^.*\n/);
  return { ...program, ...(JSON.parse(line) as { url: string; apiKey: string }) };
}

/** What a sandbox responds to a list; `refused` when nothing listens there. */
function statusOf({ url, apiKey }: { url: string; apiKey: string }): Promise<number | string> {
  return fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${apiKey}` } }).then(
    ({ status }) => status,
    () => 'refused',
  );
}
