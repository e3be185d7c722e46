import { describe, expect, it } from 'bun:test';
import { version } from '../../package.json';
import { runCli } from '../support/process/process.ts';

describe('petstore', () => {
  it.each([
    [[]],
    [['--help']],
    [['-h']],
    [['help']],
    [['serve', '--help']],
    [['serve', '-h']],
    [['serve', '--port', '1', '--help']],
    [['keys']],
    [['keys', '--help']],
    [['keys', '-h']],
    [['keys', 'create', '--help']],
    [['keys', 'list', '--help']],
    [['keys', 'revoke', '--help']],
  ])('explains itself with examples: %j', async (args) => {
    const { status, stdout, stderr } = await runCli(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Usage:');
    expect(stdout).toMatch(/\nExamples:\n {2}petstore /);
  });

  it('names every command in its help', async () => {
    const { stdout } = await runCli(['--help']);
    for (const command of ['serve', 'keys create', 'keys list', 'keys revoke'])
      expect(stdout).toContain(`  ${command} `);
  });

  it('tells its version', async () => {
    expect(await runCli(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['fly'], 'There is no command "fly". See: petstore --help'],
    [['toString'], 'There is no command "toString". See: petstore --help'],
    [[''], 'There is no command "". See: petstore --help'],
    [['--fly'], 'There is no command "--fly". See: petstore --help'],
    [['serve', '--fly'], "Unknown option '--fly'. See: petstore serve --help"],
    [['serve', 'fly'], "Unexpected argument 'fly'. See: petstore serve --help"],
    [['serve', '--port'], "Option '--port <value>' argument missing. See: petstore serve --help"],
    [
      ['serve', '--access-log=yes'],
      "Option '--access-log' does not take an argument. See: petstore serve --help",
    ],
    [['keys', 'fly'], 'There is no command "keys fly". See: petstore keys --help'],
    [['keys', 'list', '--fly'], "Unknown option '--fly'. See: petstore keys --help"],
    [['keys', 'list', 'extra'], 'This command takes no arguments: petstore keys list'],
    [['worker'], 'Workers are started by: petstore serve --workers NUMBER'],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});
