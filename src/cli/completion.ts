import { Argument, type Command, type Option } from 'commander';
import { addExamples } from './terminal/help.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function define(command: Command): void {
  command
    .description('Print a script that makes a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'The shell.').choices(Object.keys(scripts)))
    .action(async (shell: keyof typeof scripts) => {
      // Here, because the program loads this file.
      const { loadProgram } = await import('./program.ts');
      process.stdout.write(scripts[shell](describeCommands(await loadProgram())));
    });
  addExamples(
    command,
    'petstore completion bash > ~/.local/share/bash-completion/completions/petstore',
    'petstore completion zsh > "${fpath[1]}/_petstore"',
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
  );
}

/** What a script knows about a command. */
interface Completed {
  name: string;
  summary: string;
  /** The subcommands, or the choices of the first argument. */
  actions: { name: string; summary: string }[];
  /** Those of the subcommands as well, each once. */
  options: Option[];
}

function describeCommands(program: Command): Completed[] {
  const help = program.createHelp();
  const everywhere = program.options.filter(({ long }) => long === '--env-file');
  return help
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .map((command) => {
      const choices = command.registeredArguments[0]?.argChoices ?? [];
      const options = [command, ...command.commands].flatMap((each) => help.visibleOptions(each));
      return {
        name: command.name(),
        summary: command.summary(),
        actions: [
          ...command.commands.map((action) => ({ name: action.name(), summary: action.description() })),
          ...choices.map((choice) => ({ name: choice, summary: `For ${choice}.` })),
        ],
        options: [...new Map([...options, ...everywhere].map((option) => [option.long, option])).values()],
      };
    });
}

/** Where nothing else fits, bash completes file names. */
function bashCompletion(commands: Completed[]): string {
  const { choices, valueFlags } = valuesOf(commands);
  const line = (pattern: string, words: string) => `${pattern}) words='${words}' ;;`;
  const cases = commands.flatMap(({ name, actions, options }) => [
    line(`*:${name}:-*`, flagsOf(options)),
    ...(actions.length > 0 ? [line(`2:${name}:*`, namesOf(actions))] : []),
  ]);
  return `# Completion of petstore for bash.
_petstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=''
  case "\${COMP_WORDS[1]}:$previous" in
    ${choices.map(({ pattern, values }) => line(pattern, values)).join('\n    ')}
    ${valueFlags.join('|')}) return ;;
    *)
      case "$COMP_CWORD:\${COMP_WORDS[1]}:$current" in
      ${[line('1:*', `${namesOf(commands)} --help --version`), ...cases].join('\n      ')}
      esac ;;
  esac
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _petstore petstore
`;
}

function zshCompletion(commands: Completed[]): string {
  const { choices, valueFlags } = valuesOf(commands);
  const described = (entries: { name: string; summary: string }[]) =>
    entries.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ');
  const flags = commands.map(({ name, options }) => `${name}:-*) compadd -- ${flagsOf(options)}; return ;;`);
  const actions = commands
    .filter((command) => command.actions.length > 0)
    .map(
      (command) =>
        `${command.name}) found=(${described(command.actions)}); _describe action found; return ;;`,
    );
  return `#compdef petstore
# Completion of petstore for zsh.
_petstore() {
  local -a found
  case $words[2]:$words[CURRENT-1] in
    ${choices.map(({ pattern, values }) => `${pattern}) compadd -- ${values}; return ;;`).join('\n    ')}
    ${valueFlags.join('|')}) _files; return ;;
  esac
  if (( CURRENT == 2 )); then
    found=(${described(commands)})
    _describe command found
    return
  fi
  case $words[2]:$words[CURRENT] in
    ${flags.join('\n    ')}
  esac
  if (( CURRENT == 3 )); then
    case $words[2] in
      ${actions.join('\n      ')}
    esac
  fi
  _files
}
if [[ $funcstack[1] == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`;
}

function fishCompletion(commands: Completed[]): string {
  const line = (condition: string, rest: string) => `complete -c petstore -n ${quote(condition)} ${rest}\n`;
  const lines = commands.flatMap(({ name, summary, actions, options }) => {
    const inside = `__fish_seen_subcommand_from ${name}`;
    const beforeAction = `${inside}; and not __fish_seen_subcommand_from ${namesOf(actions)}`;
    return [
      line('__fish_use_subcommand', `-f -a ${name} -d ${quote(summary)}`),
      ...actions.map((action) => line(beforeAction, `-f -a ${action.name} -d ${quote(action.summary)}`)),
      ...options.map(({ long, required, argChoices }) => {
        const value = argChoices ? ` -x -a ${quote(argChoices.join(' '))}` : required ? ' -r' : '';
        return line(inside, `-l ${long?.slice(2)}${value}`);
      }),
    ];
  });
  return `# Completion of petstore for fish.\n${lines.join('')}`;
}

/** The flags that take a value, as patterns of `command:flag`. */
function valuesOf(commands: Completed[]) {
  const choices = commands.flatMap(({ name, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices ? { pattern: `${name}:${long}`, values: argChoices.join(' ') } : [],
    ),
  );
  const others = commands
    .flatMap(({ options }) => options)
    .filter(({ required, argChoices }) => required && !argChoices);
  return { choices, valueFlags: [...new Set(others.map(({ long }) => `*:${long}`))] };
}

function flagsOf(options: Option[]): string {
  return options.map(({ long }) => long).join(' ');
}

function namesOf(entries: { name: string }[]): string {
  return entries.map(({ name }) => name).join(' ');
}

/** Quotes for all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
