import type { Command } from 'commander';
import { createLog } from '../log.ts';
import { sandboxDefaults, startSandbox } from '../sandbox/sandbox.ts';
import { untilStopSignal } from '../server/signals.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';
import { integerFrom } from './values.ts';

interface SandboxCommandOptions {
  port: number;
  apiKey: string;
  seed: number;
  count: number;
  experimental?: true;
  json?: true;
}

export function define(command: Command): void {
  const { port, apiKey, seed, count } = sandboxDefaults;
  command
    .description(
      'Serve the API from a fresh store of sample pets, for tests. It ends with SIGTERM, SIGINT or its parent, and ' +
        'leaves nothing behind.',
    )
    .option('--port <number>', 'Port to listen on; 0 picks a free one.', integerFrom(0, 65_535), port)
    .option('--api-key <key>', 'The only API key.', apiKey)
    .option(
      '--seed <number>',
      'Where the random numbers start. The same seed makes the same pets.',
      integerFrom(0, 2 ** 32 - 1),
      seed,
    )
    .option('--count <number>', 'How many pets there are.', integerFrom(0, 1_000_000), count)
    .option('--experimental', 'Also serve the experimental operations.')
    .option('--json', 'Print one line of JSON instead of text.')
    .action(sandbox);
  addExamples(command, 'petstore sandbox', 'petstore sandbox --json --seed 42 --count 100');
}

async function sandbox({ json, ...options }: SandboxCommandOptions): Promise<void> {
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) });
  const stopped = untilStopSignal();
  const running = await startSandbox({ ...options, log });
  const { url, apiKey } = running;
  print(
    json ? `${JSON.stringify({ url, apiKey, pid: process.pid })}\n` : `Sandbox: ${url}\nAPI key: ${apiKey}\n`,
  );
  await stopped;
  await running.stop();
  process.exit(0);
}
