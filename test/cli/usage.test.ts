import { describe, expect, it } from 'bun:test';
import { version } from '../../package.json';
import { runCli } from '../support/process/process.ts';

describe('petstore', () => {
  it('does not fail when its reader stops reading', async () => {
    const wrap = (command: string[]) => ['bash', '-o', 'pipefail', '-c', '"$@" | true', 'bash', ...command];
    expect(await runCli(['serve', '--help'], { wrap })).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
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
    [['worker'], 'Workers are started by the service. Run: petstore serve --workers NUMBER'],
    [['--env-file=', 'serve'], '--env-file must name a file.'],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});
