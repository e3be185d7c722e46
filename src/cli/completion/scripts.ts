/** What a script knows about a command. */
export interface CompletedCommand {
  name: string;
  summary: string;
  actions: { name: string; summary: string }[];
  flags: { flag: string; takesValue: boolean; values: readonly string[] }[];
}

/** Where nothing else fits, bash completes file names. */
export function bashCompletion(commands: CompletedCommand[]): string {
  const line = (pattern: string, words: string[]) => `      ${pattern}) words='${words.join(' ')}' ;;\n`;
  return `# Completion of petstore for bash.
_petstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=''
  case $previous in
${choicesOf(commands)
  .map(({ flag, values }) => line(`--${flag}`, [...values]).slice(2))
  .join('')}    ${valueFlags(commands).join('|')}) return ;;
    *)
      case "$COMP_CWORD:\${COMP_WORDS[1]}:$current" in
${line('1:*', [...commands.map(({ name }) => name), '--help', '--version'])}${commands
    .map(
      ({ name, actions, flags }) =>
        line(
          `*:${name}:-*`,
          flags.map(({ flag }) => `--${flag}`),
        ) +
        (actions.length > 0
          ? line(
              `2:${name}:*`,
              actions.map((action) => action.name),
            )
          : ''),
    )
    .join('')}      esac ;;
  esac
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _petstore petstore
`;
}

export function zshCompletion(commands: CompletedCommand[]): string {
  const described = (entries: { name: string; summary: string }[]) =>
    entries.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ');
  return `#compdef petstore
# Completion of petstore for zsh.
_petstore() {
  local -a found
  case $words[CURRENT-1] in
${choicesOf(commands)
  .map(({ flag, values }) => `    --${flag}) compadd -- ${values.join(' ')}; return ;;\n`)
  .join('')}    ${valueFlags(commands).join('|')}) _files; return ;;
  esac
  if (( CURRENT == 2 )); then
    found=(${described(commands)})
    _describe command found
    return
  fi
  case $words[2]:$words[CURRENT] in
${commands.map(({ name, flags }) => `    ${name}:-*) compadd -- ${flags.map(({ flag }) => `--${flag}`).join(' ')}; return ;;\n`).join('')}  esac
  if (( CURRENT == 3 )); then
    case $words[2] in
${commands
  .filter(({ actions }) => actions.length > 0)
  .map(
    ({ name, actions }) =>
      `      ${name}) found=(${described(actions)}); _describe action found; return ;;\n`,
  )
  .join('')}    esac
  fi
  _files
}
if [[ $funcstack[1] == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`;
}

export function fishCompletion(commands: CompletedCommand[]): string {
  const line = (condition: string, rest: string) => `complete -c petstore -n ${quote(condition)} ${rest}\n`;
  return `# Completion of petstore for fish.
${commands
  .map(({ name, summary, actions, flags }) => {
    const inside = `__fish_seen_subcommand_from ${name}`;
    const beforeAction = `${inside}; and not __fish_seen_subcommand_from ${actions.map((action) => action.name).join(' ')}`;
    return [
      line('__fish_use_subcommand', `-f -a ${name} -d ${quote(summary)}`),
      ...actions.map((action) => line(beforeAction, `-f -a ${action.name} -d ${quote(action.summary)}`)),
      ...flags.map(({ flag, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : takesValue ? ' -r' : '';
        return line(inside, `-l ${flag}${value}`);
      }),
    ].join('');
  })
  .join('')}`;
}

/** The options with a choice of values, each once; an option has the same values in every command. */
function choicesOf(commands: CompletedCommand[]): CompletedCommand['flags'] {
  const all = commands.flatMap(({ flags }) => flags).filter(({ values }) => values.length > 0);
  return [...new Map(all.map((entry) => [entry.flag, entry])).values()];
}

/** The options that take any value, each once. */
function valueFlags(commands: CompletedCommand[]): string[] {
  const all = commands.flatMap(({ flags }) => flags);
  return [
    ...new Set(
      all
        .filter(({ takesValue, values }) => takesValue && values.length === 0)
        .map(({ flag }) => `--${flag}`),
    ),
  ];
}

/** Quotes for all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
