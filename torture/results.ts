import { readFileSync } from 'node:fs';
import { arch, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { tortureTests } from './tests.ts';
import type { Figures, Table, TortureTest } from './support/torture-test.ts';

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
  table?: Table;
  /** What was broken on purpose, and what the test found wrong with it. */
  control?: { description: string; faults: string[] };
  /** Why a test was not run, or its control could not run. */
  reason?: string;
}

export type Results = Record<string, Result>;

const data = 'results.json';
/** A summary of the data. */
const page = 'RESULTS.md';
/** A broken program may fail thousands of times; a few show how. */
const [shownFaults, shownCharacters] = [5, 300];

// Makes the page again, and drops the results of tests that are gone: bun torture/results.ts
if (import.meta.main) {
  await writeResults(readResults());
  process.exit();
}

export function thisMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} cores (${cpus()[0]?.model ?? arch()}), ${memory}, Bun ${Bun.version}, ${process.platform}`;
}

export function readResults(): Results {
  return JSON.parse(readFileSync(join(import.meta.dir, data), 'utf8')) as Results;
}

export async function writeResults(results: Results, folder = import.meta.dir): Promise<void> {
  const kept = tortureTests.flatMap((test) => {
    const result = results[test.name];
    return result ? [{ test, result }] : [];
  });
  const json = Object.fromEntries(kept.map(({ test, result }) => [test.name, result]));
  await write(join(folder, data), `${JSON.stringify(json, null, 2)}\n`);
  await write(join(folder, page), renderResults(kept));
}

interface Kept {
  test: TortureTest;
  result: Result;
}

function renderResults(kept: readonly Kept[]): string {
  const tests = kept.map(({ test: { name, description }, result }) => {
    const { at, commit } = result;
    const when = at.slice(0, 10) + (commit === undefined ? '' : ` on ${commit}`);
    return `- **${name}**, ${said(result)} ${when}: ${escapeMarkdown(description)}.`;
  });
  return `# What was broken, and what held

\`npm run torture\` writes this page and [results.json](results.json), which has the figures, the machine and the
seed of each. \`npm run torture -- --help\` tells how to run a part of it.

Clients keep a journal of what was acknowledged, and the store is read back whole and compared with it. Every test has a
control: the same run against something broken on purpose, which must fail. A control that passes is a failure.

${tests.join('\n')}
${kept.map(renderTable).join('')}`;
}

function renderTable({ test: { name, description }, result: { table } }: Kept): string {
  if (!table) return '';
  const lines = [table.head, table.head.map(() => '--:'), ...table.rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  return `\n## ${name}: ${escapeMarkdown(description)}\n\n${lines.join('\n')}\n`;
}

/** The first few faults, each on one line. */
export function shorten(faults: readonly string[]): string[] {
  const first = faults.slice(0, shownFaults).map((fault) => {
    return fault.replaceAll('\n', ' ').slice(0, shownCharacters);
  });
  return faults.length > first.length ? [...first, `and ${faults.length - first.length} more`] : first;
}

function said({ verdict, reason }: Result): string {
  if (verdict === 'not run') return `not run, because ${reason},`;
  if (verdict === 'control passed') return '**its control did not fail**';
  return verdict === 'failed' ? '**failed**' : 'passed';
}

function escapeMarkdown(text: string): string {
  return text.replaceAll('_', String.raw`\_`);
}

/** Where it ran is nobody's business but the machine's. */
async function write(file: string, content: string): Promise<void> {
  await Bun.write(file, content.replaceAll(tmpdir(), '…'));
}
