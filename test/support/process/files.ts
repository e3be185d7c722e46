import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListeningService } from '../http/listening.ts';
import { makeFolder, runCli, type CliOptions, type CliResult } from './process.ts';

type Called = Pick<ListeningService, 'url' | 'apiKey'>;

/** Runs a command that calls a service. */
export function runAt(
  { url, apiKey }: Called,
  args: string[],
  { env, ...options }: CliOptions = {},
): Promise<CliResult> {
  return runCli([...args, '--url', url], { ...options, env: { API_KEY: apiKey, ...env } });
}

/** Imports a file with this text. */
export async function importText(text: string, service: Called): Promise<CliResult> {
  using folder = makeFolder();
  const path = join(folder.path, 'pets.txt');
  writeFileSync(path, text);
  return await runAt(service, ['import', path]);
}
