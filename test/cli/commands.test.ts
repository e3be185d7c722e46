import { describe, expect, it } from 'bun:test';
import type { Command } from 'commander';
import { version } from '../../package.json';
import { commands, createProgram } from '../../src/cli/program.ts';
import { runCli } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { runOnTerminal } from '../support/process/terminal.ts';

/** Every command and subcommand that the help shows, by its path. */
function pathsOf(command: Command, path: string[]): [string[], Command][] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => pathsOf(each, [...path, each.name()]));
  return [[path, command], ...below];
}

const program = createProgram();
for (const command of program.commands) (await commands[command.name()]?.load())?.define(command);
const all = pathsOf(program, []);

describe('the help of a command', () => {
  it.each(all)('shows options, subcommands and examples in 80 columns: petstore %j', (path, command) => {
    let text = '';
    const output = { writeOut: (part: string) => void (text += part), getOutHasColors: () => false };
    command.configureOutput({ ...output, getOutHelpWidth: () => 80 }).outputHelp();
    expect(text).toStartWith(`Usage: ${['petstore', ...path].join(' ')} `);
    if (path.length < 2) expect(text).toMatch(/\nExamples:\n {2}\S/);
    for (const { long, hidden } of command.options) expect(text.includes(`  ${long} `)).toBe(!hidden);
    for (const subcommand of command.commands) {
      expect(text.includes(`\n  ${subcommand.name()} `)).toBe(true);
    }
    expect(text.includes('\n  help [command] ')).toBe(command.commands.length > 0);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('has colour on a terminal, unless NO_COLOR is set', async () => {
    const coloured = await runOnTerminal(['serve', '--help'], { env: { NO_COLOR: undefined } });
    expect(coloured.screen).toContain('\u001b[1mUsage:');
    const plain = await runOnTerminal(['serve', '--help'], { env: { NO_COLOR: '1' } });
    expect(await runCli(['serve', '--help'])).toEqual({ status: 0, stdout: plain.screen, stderr: '' });
  });
});

it('defines --database-url the same way for every command that takes it', () => {
  const found = all.flatMap(([, { options }]) => options.filter(({ long }) => long === '--database-url'));
  expect(found.length).toBeGreaterThan(4);
  for (const { flags, description, envVar, defaultValue } of found) {
    expect({ flags, description, envVar, defaultValue }).toEqual({
      flags: '--database-url <address>',
      description: 'The store: a file path, a sqlite: or a postgres: address.',
      envVar: 'DATABASE_URL',
      defaultValue: 'data/petstore.db',
    });
  }
});

describe('petstore', () => {
  it('does not fail when its reader stops reading', async () => {
    const wrap = (command: string[]) => ['bash', '-o', 'pipefail', '-c', '"$@" | true', 'bash', ...command];
    expect(await runCli(['serve', '--help'], { wrap })).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('exits with the status of a refusal', async () => {
    expect(await runCli(['srve'])).toEqual({ stdout: '', ...(await refusalOf('srve')) });
  });

  it.each([
    [['srve'], "Unknown command 'srve'. Did you mean serve? See: petstore --help"],
    [['toString'], "Unknown command 'toString'. See: petstore --help"],
    [['serve', '--prot', '1'], "Unknown option '--prot'. Did you mean --port? See: petstore serve --help"],
    [
      ['serve', 'fly'],
      "Too many arguments for 'serve'. Expected 0 arguments but got 1. See: petstore serve --help",
    ],
    [['serve', '--port'], "Option '--port <number>' argument missing. See: petstore serve --help"],
    [['keys', 'lst'], "Unknown command 'lst'. Did you mean list? See: petstore keys --help"],
    [['--env-file=', 'serve'], '--env-file must name a file.'],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await refusalOf(...args)).toEqual({ status: 2, stderr: `petstore: ${message}\n` });
  });
});
