import { describe, expect, it } from 'bun:test';
import { commands } from '../../src/cli/commands.ts';
import { runCli } from '../support/process/process.ts';

describe('every command', () => {
  it.each(Object.keys(commands))('explains itself with examples, and names its options: %s', async (name) => {
    const { status, stdout, stderr } = await runCli([name, '--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`petstore ${name}`);
    expect(stdout).toContain('Usage:');
    expect(stdout).toMatch(/\nExamples:\n {2}\S/);
    const { options } = (await commands[name]?.load()) ?? { options: {} };
    // The doctor takes whatever the service does, and says so instead of repeating it.
    const named = name === 'doctor' ? ['json', 'database-url'] : Object.keys(options);
    for (const option of named.filter((flag) => flag !== 'help')) expect(stdout).toContain(`--${option}`);
    const lines = stdout.split('\n').filter((line) => line.length > 120);
    expect(name === 'serve' ? [] : lines).toEqual([]);
    expect(await runCli([name, '-h'])).toEqual({ status, stdout, stderr });
  });

  it('has its line in the help of the program', async () => {
    const { stdout } = await runCli(['--help']);
    for (const [name, { summary }] of Object.entries(commands)) {
      const lines =
        typeof summary === 'string' ? [name] : Object.keys(summary).map((action) => `${name} ${action}`);
      for (const line of lines) expect(stdout).toContain(`\n  ${line} `);
    }
  });
});
