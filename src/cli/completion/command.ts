import { usageError } from '../../error.ts';
import { logLevels } from '../../log.ts';
import { petStatuses } from '../../pet.ts';
import { choiceOf, readArguments } from '../arguments.ts';
import { bashCompletion, fishCompletion, zshCompletion, type CompletedCommand } from './scripts.ts';
import { petFormats } from '../../formats/format.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

const help = `Print a script that makes a shell complete commands, actions, options and their values.

Usage: petstore completion ${shells.join('|')}

Examples:
  petstore completion bash > ~/.local/share/bash-completion/completions/petstore
  petstore completion zsh > "\${fpath[1]}/_petstore"
  petstore completion fish > ~/.config/fish/completions/petstore.fish
`;

export const options = { help: { type: 'boolean', short: 'h' } } as const;

/** Options that take one of a few values. */
const choices: Record<string, readonly string[]> = {
  status: petStatuses,
  format: petFormats,
  'log-level': logLevels,
};

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export async function completion(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('completion', args, { options, allowPositionals: true });
  const [shell, ...others] = positionals;
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (shell === undefined || others.length > 0) {
    throw usageError(`Say for which shell: petstore completion ${shells.join('|')}`);
  }
  process.stdout.write(scripts[choiceOf('The shell', shell, shells)](await describeCommands()));
  return 0;
}

async function describeCommands(): Promise<CompletedCommand[]> {
  // Loaded here, because the table of commands names this one, too.
  const { commands } = await import('../commands.ts');
  return Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      const flags = { ...(await load()).options, help: { type: 'boolean' }, 'env-file': { type: 'string' } };
      return {
        name,
        summary: typeof summary === 'string' ? summary : Object.keys(summary).join(', '),
        actions: actionsOf(name, summary),
        flags: Object.entries(flags).map(([flag, { type }]) => ({
          flag,
          takesValue: type === 'string',
          values: choices[flag] ?? [],
        })),
      };
    }),
  );
}

function actionsOf(name: string, summary: string | Record<string, string>): CompletedCommand['actions'] {
  if (name === 'completion') return shells.map((shell) => ({ name: shell, summary: `For ${shell}.` }));
  if (typeof summary === 'string') return [];
  // `revoke <id>` is completed as far as it can be.
  return Object.entries(summary).map(([action, text]) => ({
    name: action.split(' ')[0] ?? '',
    summary: text,
  }));
}
