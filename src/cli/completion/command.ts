import { Argument, type Command } from 'commander';
import { addExamples } from '../terminal/help.ts';
import {
  bashCompletion,
  fishCompletion,
  zshCompletion,
  type CompletedCommand,
  type CompletedFlag,
} from './scripts.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** The script is made from the definitions of all commands, which `loadProgram` loads. */
export function defineCompletion(command: Command, loadProgram: () => Promise<Command>): void {
  command
    .description('Print a script that makes a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'The shell.').choices(Object.keys(scripts)))
    .action(async (shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](describeCommands(await loadProgram())));
    });
  addExamples(
    command,
    'petstore completion bash > ~/.local/share/bash-completion/completions/petstore',
    'petstore completion zsh > "${fpath[1]}/_petstore"',
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
  );
}

function describeCommands(program: Command): CompletedCommand[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .map((command) => ({
      name: command.name(),
      summary: command.summary(),
      actions: actionsOf(command),
      flags: flagsOf(command, program),
    }));
}

/** The subcommands, or the choices of the first argument. */
function actionsOf(command: Command): CompletedCommand['actions'] {
  const [argument] = command.registeredArguments;
  return [
    ...command.commands.map((action) => ({ name: action.name(), summary: action.description() })),
    ...(argument?.argChoices ?? []).map((choice) => ({ name: choice, summary: `For ${choice}.` })),
  ];
}

/** The options of a command and its subcommands, each once. */
function flagsOf(command: Command, program: Command): CompletedFlag[] {
  const help = program.createHelp();
  const options = [command, ...command.commands].flatMap((each) => help.visibleOptions(each));
  const everywhere = program.options.filter(({ long }) => long === '--env-file');
  const flags = [...options, ...everywhere].map(({ long, required, argChoices }) => ({
    name: long ?? '',
    takesValue: required,
    values: argChoices ?? [],
  }));
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()];
}
