import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Figures, TortureTest } from './support/torture-test.ts';

export interface Result {
  verdict: 'passed' | 'failed' | 'control passed' | 'not run';
  at: string;
  commit?: string;
  /** What it was measured on; runs of single tests may come from several machines. */
  machine?: string;
  seed: number;
  seconds?: number;
  figures?: Figures;
  faults?: string[];
  /** What the control found wrong with the broken thing. */
  control?: string[];
  /** Why a test was not run. */
  reason?: string;
}

/** What is shown. */
const page = join(import.meta.dir, 'RESULTS.md');
/** The same as data, for the next run that repeats only some of the tests. */
const data = join(import.meta.dir, 'results.json');

export function thisMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} cores (${cpus()[0]?.model ?? arch()}), ${memory}, Bun ${Bun.version}, ${process.platform}`;
}

export function readEarlier(): Map<string, Result> {
  if (!existsSync(data)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(data, 'utf8')) as Record<string, Result>));
}

export async function writeResults(
  tests: readonly TortureTest[],
  results: Map<string, Result>,
): Promise<void> {
  const rows = tests.flatMap((test) => {
    const result = results.get(test.name);
    return result ? [{ test, result }] : [];
  });
  const table = rows.map(
    ({ test, result }) => `| ${test.name} | ${test.description} | ${test.passesWhen} | ${said(result)} |`,
  );
  const text = `# What was broken, and what held

Written by \`npm run torture\`; \`npm run torture -- --help\` tells how to run a part of it. Every test is judged by a
journal that its clients keep, against the store read back whole. Every test has a control: the same run against
something broken on purpose, which must be found out.

| Test | What is done | Passes when | Result |
| --- | --- | --- | --- |
${table.join('\n')}

${rows.map(({ test, result }) => details(test, result)).join('\n\n')}
`;
  await writeFormatted(page, text);
  await writeFormatted(data, JSON.stringify(Object.fromEntries(results)));
}

function said({ verdict, reason }: Result): string {
  if (verdict === 'not run') return `not run, because ${reason}`;
  if (verdict === 'control passed') return '**its control did not fail**';
  return verdict === 'failed' ? '**failed**' : 'passed';
}

function details(test: TortureTest, result: Result): string {
  const { figures = {}, faults = [], control, reason, at, commit, machine, seed, seconds } = result;
  const when = commit === undefined ? at : `${at} on ${commit}`;
  const rows = Object.entries(figures).map(([name, value]) => `| ${name} | ${value} |`);
  return [
    `## ${test.name}`,
    `${capital(test.description)}. Run ${when}, seed ${seed}${seconds === undefined ? '' : `, ${seconds} s`}: ${said(result)}.${machine === undefined ? '' : ` Measured on ${machine}.`}`,
    ...(reason === undefined || result.verdict === 'not run' ? [] : [reason]),
    ...(rows.length === 0 ? [] : [['| Figure | Value |', '| --- | --- |', ...rows].join('\n')]),
    ...(faults.length === 0 ? [] : [`Faults:\n\n${list(faults)}`]),
    ...(control === undefined
      ? []
      : [`Control (${test.control.description}), seen failing:\n\n${list(control)}`]),
  ].join('\n\n');
}

function list(faults: string[]): string {
  const shown = faults.slice(0, 5).map((fault) => `- ${escapeMarkdown(fault)}`);
  return [...shown, ...(faults.length > 5 ? [`- and ${faults.length - 5} more`] : [])].join('\n');
}

function escapeMarkdown(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', ' ').slice(0, 300)}\``;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

async function writeFormatted(file: string, content: string): Promise<void> {
  // Where it ran is nobody's business but the machine's.
  const text = content.replaceAll(process.env['TMPDIR'] ?? tmpdir(), '…');
  await Bun.write(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
