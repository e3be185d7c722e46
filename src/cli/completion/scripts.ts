/** What a script knows about a command. */
export interface CompletedCommand {
  name: string;
  summary: string;
  actions: { name: string; summary: string }[];
  flags: CompletedFlag[];
}

export interface CompletedFlag {
  /** Begins with dashes. */
  name: string;
  takesValue: boolean;
  values: readonly string[];
}

/** Where nothing else fits, bash completes file names. */
export function bashCompletion(commands: CompletedCommand[]): string {
  const { choices, valueFlags } = flagsOf(commands);
  const line = (pattern: string, words: string) => `${pattern}) words='${words}' ;;`;
  const cases = commands.flatMap(({ name, actions, flags }) => [
    line(`*:${name}:-*`, namesOf(flags)),
    ...(actions.length > 0 ? [line(`2:${name}:*`, namesOf(actions))] : []),
  ]);
  return `# Completion of petstore for bash.
_petstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=''
  case "\${COMP_WORDS[1]}:$previous" in
    ${choices.map(({ place, values }) => line(place, values)).join('\n    ')}
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

export function zshCompletion(commands: CompletedCommand[]): string {
  const { choices, valueFlags } = flagsOf(commands);
  const described = (entries: { name: string; summary: string }[]) =>
    entries.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ');
  const options = commands.map(({ name, flags }) => `${name}:-*) compadd -- ${namesOf(flags)}; return ;;`);
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
    ${choices.map(({ place, values }) => `${place}) compadd -- ${values}; return ;;`).join('\n    ')}
    ${valueFlags.join('|')}) _files; return ;;
  esac
  if (( CURRENT == 2 )); then
    found=(${described(commands)})
    _describe command found
    return
  fi
  case $words[2]:$words[CURRENT] in
    ${options.join('\n    ')}
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

export function fishCompletion(commands: CompletedCommand[]): string {
  const line = (condition: string, rest: string) => `complete -c petstore -n ${quote(condition)} ${rest}\n`;
  const lines = commands.flatMap(({ name, summary, actions, flags }) => {
    const inside = `__fish_seen_subcommand_from ${name}`;
    const beforeAction = `${inside}; and not __fish_seen_subcommand_from ${namesOf(actions)}`;
    return [
      line('__fish_use_subcommand', `-f -a ${name} -d ${quote(summary)}`),
      ...actions.map((action) => line(beforeAction, `-f -a ${action.name} -d ${quote(action.summary)}`)),
      ...flags.map(({ name: flag, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : takesValue ? ' -r' : '';
        return line(inside, `-l ${flag.slice(2)}${value}`);
      }),
    ];
  });
  return `# Completion of petstore for fish.\n${lines.join('')}`;
}

/** The flags that take a value, as patterns of `command:flag`. */
function flagsOf(commands: CompletedCommand[]) {
  const choices = commands.flatMap(({ name: command, flags }) =>
    flags
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => ({ place: `${command}:${name}`, values: values.join(' ') })),
  );
  const others = commands
    .flatMap(({ flags }) => flags)
    .filter(({ takesValue, values }) => takesValue && values.length === 0);
  return { choices, valueFlags: [...new Set(others.map(({ name }) => `*:${name}`))] };
}

function namesOf(entries: { name: string }[]): string {
  return [...new Set(entries.map(({ name }) => name))].join(' ');
}

/** Quotes for all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
