import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, kitPrograms, makeFolder, petstoreCommand } from '../process/process.ts';
import { startProgram, type RunningProgram } from '../process/running.ts';

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

interface SandboxProcess extends RunningProgram {
  url: string;
  apiKey: string;
}

/** Starts `petstore-sandbox --json` and reads its only line. */
export async function startSandboxProcess(
  place: TemporaryPlace,
  args: string[] = [],
): Promise<SandboxProcess> {
  const command = petstoreCommand(['--json', ...args], kitPrograms.sandbox);
  const program = startProgram(command, { cwd: place.path, env: place.env });
  const [line] = await program.stdout.untilMatch(/^.*\n/);
  return { ...program, ...(JSON.parse(line) as { url: string; apiKey: string }) };
}

/** What a sandbox responds to a list; `refused` when nothing listens there. */
export function statusOf({ url, apiKey }: { url: string; apiKey: string }): Promise<number | string> {
  return fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${apiKey}` } }).then(
    ({ status }) => status,
    () => 'refused',
  );
}
