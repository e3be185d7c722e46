import { InvalidArgumentError, type Command } from 'commander';
import { PetstoreError, usageError } from '../error.ts';
import { createLog } from '../log.ts';
import { parseFault, type Fault } from '../sandbox/faults/fault.ts';
import { untilInputEnds, untilParentGone } from '../sandbox/parent.ts';
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
  withoutDeprecated?: true;
  experimental?: true;
  faults?: Fault;
  faultSeed: number;
  stopWithStdin?: true;
  json?: true;
}

const random = integerFrom(0, 2 ** 32 - 1);

export function define(command: Command): void {
  const { port, apiKey, seed, count, faultSeed } = sandboxDefaults;
  command
    .description(
      'Serve the API from a fresh store of made-up pets, for tests. It stops at SIGTERM or SIGINT, or when the ' +
        'process that started it is gone, and leaves nothing behind.',
    )
    .option('--port <number>', 'Port to listen on; 0 picks a free one.', integerFrom(0, 65_535), port)
    .option('--api-key <key>', 'The only API key.', parseKey, apiKey)
    .option(
      '--seed <number>',
      'Where the random numbers start. The same seed makes the same pets.',
      random,
      seed,
    )
    .option('--count <number>', 'How many pets there are.', integerFrom(0, 1_000_000), count)
    .option('--without-deprecated', 'Serve the API as after 5 December 2030, without getPet.')
    .option('--experimental', 'Also serve the experimental operations.')
    .option(
      '--faults <faults>',
      'What goes wrong with every request, as in a Petstore-Fault header.',
      parseFaults,
    )
    .option('--fault-seed <number>', 'Where the random numbers of the faults start.', random, faultSeed)
    .option('--stop-with-stdin', 'Also stop when standard input ends.')
    .option('--json', 'Print the address and the key as one line of JSON.')
    .action(sandbox);
  addExamples(
    command,
    'petstore sandbox',
    'petstore sandbox --json --seed 42 --count 100',
    "petstore sandbox --faults 'cut=after-commit;rate=0.3'",
  );
}

async function sandbox({ json, stopWithStdin, ...options }: SandboxCommandOptions): Promise<void> {
  if (options.experimental && options.withoutDeprecated) {
    throw usageError('--experimental and --without-deprecated exclude each other.', 'Give one of them.');
  }
  const ends = [untilStopSignal(), untilParentGone(), ...(stopWithStdin ? [untilInputEnds()] : [])];
  // Whoever reads the address may be gone before the sandbox is.
  process.stdout.on('error', () => {});
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) });
  const running = await startSandbox({ ...options, log });
  const { url, apiKey } = running;
  if (json) print(`${JSON.stringify({ url, apiKey })}\n`);
  else print(`A sandbox is ready. Stop it with Ctrl-C.\n\n  Address: ${url}\n  API key: ${apiKey}\n`);
  await Promise.race(ends);
  await running.stop();
  process.exit(0);
}

function parseKey(text: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be visible ASCII characters without spaces.');
}

function parseFaults(text: string): Fault {
  try {
    return parseFault(text);
  } catch (error) {
    throw error instanceof PetstoreError ? new InvalidArgumentError(error.message) : error;
  }
}
