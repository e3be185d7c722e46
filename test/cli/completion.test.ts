import { beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { loadProgram } from '../../src/cli/program.ts';
import { makeFolder, runCli } from '../support/process/process.ts';

const program = await loadProgram();
const commands = program
  .createHelp()
  .visibleCommands(program)
  .filter((command) => command.name() !== 'help');
const names = commands.map((command) => command.name());
let script = '';

beforeAll(async () => {
  script = (await runCli(['completion', 'bash'])).stdout;
});

/** What bash offers for Tab at the end of a line. */
async function offered(line: string): Promise<string[]> {
  const driver = `
    set -eu
    source /dev/stdin
    read -ra COMP_WORDS <<<"$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _petstore petstore "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}" || true
    printf '%s\\n' \${COMPREPLY[@]+"\${COMPREPLY[@]}"}`;
  const bash = Bun.spawn(['bash', '--norc', '-c', driver, 'bash', line], {
    stdin: Buffer.from(script),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 30_000,
  });
  const [stdout, stderr, status] = await Promise.all([bash.stdout.text(), bash.stderr.text(), bash.exited]);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('petstore completion bash', () => {
  it('offers every command except those that are hidden', async () => {
    expect(await offered('petstore ')).toEqual([...names, '--help', '--version']);
    for (const hidden of ['wor', 'pe', 'or', 'sa', 'con'])
      expect(await offered(`petstore ${hidden}`)).toEqual([]);
  });

  it.each([
    ['petstore ser', ['serve']],
    ['petstore keys ', ['create', 'list', 'rotate', 'revoke']],
    ['petstore keys re', ['revoke']],
    ['petstore serve --log-level ', ['error', 'warn', 'info', 'debug']],
    ['petstore serve --wor', ['--workers']],
    ['petstore completion ', ['bash', 'zsh', 'fish']],
    ['petstore export --format ', ['ndjson', 'json', 'csv']],
    // The script cannot know other values.
    ['petstore serve --port ', []],
    ['petstore copy --from ', []],
    ['petstore unknown --', []],
  ])('completes %j to %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('offers exactly the options that each command takes', async () => {
    for (const command of commands) {
      const options = [command, ...command.commands].flatMap((each) =>
        each.options.filter(({ hidden }) => !hidden),
      );
      const flags = new Set([...options.map(({ long }) => long ?? ''), '--help', '--env-file']);
      expect(new Set(await offered(`petstore ${command.name()} --`))).toEqual(flags);
    }
  });

  it('is used by bash itself when Tab is pressed', async () => {
    using folder = makeFolder();
    await Bun.write(join(folder.path, 'petstore.bash'), script);
    let screen = '';
    const bash = Bun.spawn(['bash', '--norc', '--noprofile', '-i'], {
      cwd: folder.path,
      env: { ...process.env, PS1: 'ready>', TERM: 'dumb', INPUTRC: '/dev/null', HISTFILE: '' },
      timeout: 60_000,
      killSignal: 'SIGKILL',
      terminal: {
        cols: 200,
        rows: 40,
        data: (_terminal, data) => void (screen += new TextDecoder().decode(data)),
      },
    });
    const until = async (pattern: RegExp) => {
      while (!pattern.test(screen) && bash.exitCode === null && bash.signalCode === null) await Bun.sleep(10);
      expect(screen).toMatch(pattern);
    };
    try {
      await until(/ready>/);
      bash.terminal?.write('source petstore.bash; echo sour""ced\n');
      await until(/sourced/);
      bash.terminal?.write('petstore ser\t--log-l\twar\t');
      await until(/petstore serve --log-level warn /);
    } finally {
      bash.kill('SIGKILL');
      await bash.exited;
      bash.terminal?.close();
    }
  });
});

describe('petstore completion', () => {
  it.each([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
  ])('prints a script that %s accepts, where that is installed', async (shell, check) => {
    const { status, stdout, stderr } = await runCli(['completion', shell]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const name of names) expect(stdout).toContain(name);
    if (Bun.which(shell) === null) return;
    using folder = makeFolder();
    const path = join(folder.path, 'script');
    await Bun.write(path, stdout);
    const checked = Bun.spawnSync([...check, path]);
    expect({ status: checked.exitCode, stderr: checked.stderr.toString() }).toEqual({
      status: 0,
      stderr: '',
    });
  });

  it.each([
    [['completion'], "Missing required argument 'shell'. See: petstore completion --help"],
    [
      ['completion', 'tcsh'],
      "Command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish. See: petstore completion --help",
    ],
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});
