import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '../process/collect.ts';
import { cleanEnvironment, kitPrograms, makeFolder, petstoreCommand } from '../process/process.ts';

/** A temporary folder of its own, in which sandboxes keep their stores. */
export interface TemporaryPlace extends Disposable {
  path: string;
  env: Record<string, string | undefined>;
  /** What is in it. */
  files(): string[];
}

export function makeTemporaryPlace(): TemporaryPlace {
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

export interface SandboxProcess extends AsyncDisposable {
  url: string;
  apiKey: string;
  pid: number;
  /** Sends a signal and resolves with the exit status, or the signal, that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Starts `petstore-sandbox --json` and reads its only line. */
export async function startSandboxProcess(
  place: TemporaryPlace,
  args: string[] = [],
): Promise<SandboxProcess> {
  const child = Bun.spawn(petstoreCommand(['--json', ...args], kitPrograms.sandbox), {
    env: place.env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const [line] = await collect(child.stdout).untilMatch(/^.*\n/);
  const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const status = await child.exited;
    return child.signalCode ?? status;
  };
  return { url, apiKey, pid: child.pid, end, [Symbol.asyncDispose]: async () => void (await end('SIGKILL')) };
}

/** What a sandbox responds to a list; `refused` when nothing listens there. */
export function statusOf({ url, apiKey }: { url: string; apiKey: string }): Promise<number | string> {
  return fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${apiKey}` } }).then(
    ({ status }) => status,
    () => 'refused',
  );
}
