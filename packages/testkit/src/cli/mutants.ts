import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { mutants, type Mutant } from '../mutants/index.ts';
import { describeMutant, mutantOperations } from '../mutants/mutant.ts';
import { startSandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { countOf, print, printJson, renderTable } from './print.ts';
import { addExamples, addExitStatuses, integerFrom, UsageError } from './program.ts';

interface MutantsOptions {
  command: string;
  operation?: string;
  jobs: number;
  timeLimit: number;
  json?: true;
}

interface Score {
  mutant: Mutant;
  outcome: 'found' | 'missed';
  /** The command was ended because it ran too long. */
  isLate: boolean;
}

export function define(program: Command): void {
  program
    .description(
      'Score a tool: run its command against the right service, then against each mutant, which has one mistake. ' +
        'A command that fails against a mutant has found it.',
    )
    .requiredOption(
      '--command <command>',
      'A shell command; {url} stands for the address, and PETSTORE_API_KEY holds the key.',
      parseCommand,
    )
    .addOption(new Option('--operation <name>', 'Only mistakes of this operation.').choices(mutantOperations))
    .option(
      '--jobs <number>',
      'How many commands run at once.',
      integerFrom(1, 100),
      Math.min(100, availableParallelism()),
    )
    .option(
      '--time-limit <seconds>',
      'A command that runs longer has found the mutant.',
      integerFrom(1, 3600),
      60,
    )
    .option('--json', 'Print JSON instead of text.')
    .action(score);
  addExitStatuses(
    program,
    'Every mutant is found.',
    'A mutant is missed.',
    'The command fails against the right service.',
  );
  addExamples(
    program,
    "petstore-mutants --command 'npm test -- {url}'",
    "petstore-mutants --command 'petstore-conform {url} --profile strict' --json",
    "petstore-mutants --command './check.sh {url}' --operation listPets --jobs 1",
  );
}

async function score({ command, operation, jobs, timeLimit, json }: MutantsOptions): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(2));
  process.on('exit', () => running.forEach(endGroup));
  const { status, isLate, output } = await runAgainst({}, command, timeLimit);
  if (status !== 0) {
    process.stderr.write(output);
    const how = isLate ? `does not end within ${timeLimit} s` : `fails with ${status}`;
    throw new UsageError(`The command ${how} against the right service, so nothing is scored.`);
  }
  const waiting = mutants.filter((mutant) => operation === undefined || mutant.operation === operation);
  const scores: Score[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const { number, wrap } = mutant;
      const run = await runAgainst({ wrap, mutant: number }, command, timeLimit);
      const outcome = run.status === 0 ? 'missed' : 'found';
      const result: Score = { mutant, outcome, isLate: run.isLate };
      scores.push(result);
      if (!json) print(renderScore(result, timeLimit));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  scores.sort((one, other) => one.mutant.number - other.mutant.number);
  const missed = scores.filter(({ outcome }) => outcome === 'missed').length;
  if (json) printJson(scores.map(toJson));
  else
    print(
      `\n${renderTable(summaryOf(scores))}\n${countOf(scores.length - missed, 'mutant')} found, ${missed} missed.\n`,
    );
  process.exitCode = missed > 0 ? 1 : 0;
}

function renderScore({ mutant, outcome, isLate }: Score, timeLimit: number): string {
  const { number, name, description } = mutant;
  const why = isLate ? ` The command did not end within ${timeLimit} s.` : '';
  return `${outcome.padEnd(6)}  ${`${number}`.padStart(3)}  ${name}: ${description}${why}\n`;
}

function toJson({ mutant, outcome, isLate }: Score): object {
  return { ...describeMutant(mutant), outcome, ...(isLate && { isLate }) };
}

/** A row for each section of the contract, with the number of mutants that were found. */
function summaryOf(scores: Score[]): string[][] {
  const groups = Object.groupBy(scores, ({ mutant }) => `${mutant.breaks}\n${mutant.section}`);
  const rows = Object.entries(groups).map(([name, group = []]) => {
    const found = group.filter(({ outcome }) => outcome === 'found').length;
    return name.split('\n').concat(`${found} of ${group.length}`);
  });
  return [
    ['BREAKS', 'SECTION', 'FOUND'],
    ...rows.toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
  ];
}

/** The process groups of commands that still run, which must not outlive this program. */
const running = new Set<number>();

interface CommandResult {
  /** 0 only if the command succeeded. */
  status: number;
  isLate: boolean;
  output: string;
}

/** Runs the command against a sandbox of its own. */
async function runAgainst(
  options: SandboxOptions,
  command: string,
  timeLimit: number,
): Promise<CommandResult> {
  await using sandbox = await startSandbox(options);
  const child = spawn('sh', ['-c', command.replaceAll('{url}', sandbox.url)], {
    env: { ...process.env, PETSTORE_API_KEY: sandbox.apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group, so that what the shell started ends with it.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new UsageError('The command cannot be started: there is no sh.');
  running.add(pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(pid);
  }, timeLimit * 1000);
  const [status] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  endGroup(pid);
  running.delete(pid);
  return { status: status ?? 1, isLate, output };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}

function parseCommand(text: string): string {
  if (text.includes('{url}')) return text;
  throw new InvalidArgumentError('It must contain {url}.');
}
