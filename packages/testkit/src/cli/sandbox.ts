import { once } from 'node:events';
import { InvalidArgumentError, type Command } from 'commander';
import { createLog, PetstoreError } from 'petstore-server/embed';
import { describeMutant, type Wrap } from '../mutants/mutant.ts';
import { parseFault, type Fault } from '../sandbox/faults/fault.ts';
import { sandboxDefaults, startSandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { print, printJson, renderTable } from './print.ts';
import { addExamples, integerFrom, UsageError } from './program.ts';

interface SandboxCommandOptions extends Omit<SandboxOptions, 'wrap' | 'log'> {
  host: string;
  listMutants?: true;
  stopWithStdin?: true;
  keepRunning?: true;
  json?: true;
}

const parseSeed = integerFrom(0, 2 ** 32 - 1);

export function define(command: Command): void {
  const { host, port, apiKey, seed, count, faultSeed } = sandboxDefaults;
  command
    .description(
      'Serve the API from a fresh store of sample pets, for tests. It stops on SIGTERM or SIGINT, or when the ' +
        'process that started it is gone, and leaves nothing behind.',
    )
    .option('--host <address>', 'Address to listen on; 0.0.0.0 lets containers reach it.', host)
    .option('--port <number>', 'Port to listen on; 0 picks a free one.', integerFrom(0, 65_535), port)
    .option('--api-key <key>', 'The only API key.', parseKey, apiKey)
    .option(
      '--seed <number>',
      'Where the random numbers start. The same seed makes the same pets.',
      parseSeed,
      seed,
    )
    .option('--count <number>', 'The number of pets.', integerFrom(0, 1_000_000), count)
    .option('--stable-only', 'Serve only the stable operations.')
    .option(
      '--faults <faults>',
      'What goes wrong with every request, as in a Petstore-Fault header.',
      parseFaults,
    )
    .option('--fault-seed <number>', 'Where the random numbers of the faults start.', parseSeed, faultSeed)
    .option(
      '--mutant <number>',
      'Serve the API with one documented mistake, to test a tester.',
      integerFrom(1, 9999),
    )
    .option('--list-mutants', 'List the mistakes and exit.')
    .option('--stop-with-stdin', 'Also stop when standard input ends.')
    .option('--keep-running', 'Do not stop when the process that started it is gone: for scripts and CI.')
    .option('--json', 'Print the address and the key as one line of JSON.')
    .action(sandbox);
  addExamples(
    command,
    'petstore-sandbox',
    'petstore-sandbox --json --seed 42 --count 100',
    "petstore-sandbox --faults 'cut=after-commit;rate=0.3'",
    'petstore-sandbox --list-mutants',
  );
}

async function sandbox(flags: SandboxCommandOptions): Promise<void> {
  const { json, stopWithStdin, keepRunning, listMutants, mutant, ...options } = flags;
  if (listMutants) return await printMutants(json);
  const wrap = mutant === undefined ? undefined : await mutantOf(mutant);
  const ends: Promise<unknown>[] = [untilStopSignal()];
  if (!keepRunning) ends.push(untilParentGone().then(reportParentGone));
  // The reader of the address may be gone before the sandbox is.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) });
  const running = await startSandbox({ ...options, log, ...(wrap && { wrap, mutant }) });
  if (!/^(?:127\.|::1$|localhost$)/.test(options.host)) warnOfOthers(options.host);
  try {
    if (stopWithStdin) ends.push(untilInputEnds());
    const { url, apiKey } = running;
    if (json) print(`${JSON.stringify({ url, apiKey })}\n`);
    else print(`A sandbox is ready. Stop it with Ctrl-C.\n\n  Address: ${url}\n  API key: ${apiKey}\n`);
    await Promise.race(ends);
  } finally {
    await running.stop();
  }
  process.exit(0);
}

async function printMutants(asJson = false): Promise<void> {
  const mutants = await loadMutants();
  if (asJson) printJson(mutants.map(describeMutant));
  else
    print(
      renderTable(
        mutants.map((mutant) => [`${mutant.number}`, mutant.name, mutant.breaks, mutant.description]),
      ),
    );
}

async function mutantOf(wanted: number): Promise<Wrap> {
  const mutant = (await loadMutants()).find(({ number }) => number === wanted);
  if (mutant) return mutant.wrap;
  throw new UsageError(`No mutant has the number ${wanted}. See: petstore-sandbox --list-mutants`);
}

function untilStopSignal(): Promise<unknown> {
  return Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)));
}

const checkEveryMs = 100;

/** Resolves once the parent process is gone, however it ended: an orphan gets another parent. */
function untilParentGone(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, checkEveryMs).unref();
  });
}

function warnOfOthers(host: string): void {
  process.stderr.write(
    `petstore-sandbox: Anyone who reaches ${host} can use this sandbox, because its key is no secret. Use it only in a closed network.\n`,
  );
}

function reportParentGone(): void {
  process.stderr.write(
    'petstore-sandbox: The process that started this sandbox is gone, so it stops. To prevent that, use --keep-running.\n',
  );
}

/** Resolves once standard input ends, as it does when the process at its other end does. */
function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .on('end', resolve)
      .on('error', () => resolve())
      .resume();
  });
}

/** Loaded on demand, because sandboxes start faster without mutants. */
async function loadMutants() {
  return (await import('../mutants/index.ts')).mutants;
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
