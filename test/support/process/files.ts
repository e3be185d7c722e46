import type { ListeningService } from '../http/listening.ts';
import { runCli, type CliOptions, type CliResult } from './process.ts';

type Called = Pick<ListeningService, 'url' | 'apiKey'>;

/** Runs a command that calls a service. */
export function runAt(
  { url, apiKey }: Called,
  args: string[],
  { env, ...options }: CliOptions = {},
): Promise<CliResult> {
  return runCli([...args, '--url', url], { ...options, env: { API_KEY: apiKey, ...env } });
}

export function importText(text: string, service: Called, ...args: string[]): Promise<CliResult> {
  return runAt(service, ['import', ...args], { input: text });
}
