import type { ParseArgsConfig } from 'node:util';

/** Runs with the arguments that follow the command's name; resolves with the exit status. */
export type Command = (args: string[]) => Promise<number>;

export type CommandOptions = NonNullable<ParseArgsConfig['options']>;

export interface CommandEntry {
  /** What it does; for a command of several actions, what each of them does. */
  summary: string | Record<string, string>;
  /** Loaded when it is asked for, so that no command starts slower for the others. */
  load: () => Promise<{ run: Command; options: CommandOptions }>;
}

/** Every command: the help, the completion of the shells and the call itself come from here. */
export const commands: Record<string, CommandEntry> = {
  serve: {
    summary: 'Serve the interface.',
    load: async () => {
      const [{ serve }, { flagOptions }] = await Promise.all([import('./serve.ts'), import('./config.ts')]);
      return { run: serve, options: flagOptions() };
    },
  },
  keys: {
    summary: {
      create: 'Make an API key and show it once.',
      list: 'Show all API keys.',
      'revoke <id>': 'Refuse a key from now on.',
    },
    load: () => import('./keys.ts').then(({ keys, options }) => ({ run: keys, options })),
  },
  pets: {
    summary: {
      list: 'Show the pets of a running service.',
      add: 'Add a pet to a running service.',
      'get <id>': 'Show one pet of a running service.',
    },
    load: () => import('./pets.ts').then(({ pets, options }) => ({ run: pets, options })),
  },
  import: {
    summary: 'Add the pets of a file to a store.',
    load: () =>
      import('./import/command.ts').then(({ importPets, options }) => ({ run: importPets, options })),
  },
  export: {
    summary: 'Write the pets of a store to a file.',
    load: () => import('./export.ts').then(({ exportPets, options }) => ({ run: exportPets, options })),
  },
  seed: {
    summary: 'Add made-up pets to a store.',
    load: () => import('./seed.ts').then(({ seed, options }) => ({ run: seed, options })),
  },
  copy: {
    summary: 'Move a store to another place, such as a database server.',
    load: () => import('./copy.ts').then(({ copy, options }) => ({ run: copy, options })),
  },
  migrate: {
    summary: "Bring a store's schema up to date, and do nothing else.",
    load: () => import('./migrate.ts').then(({ migrate, options }) => ({ run: migrate, options })),
  },
  backup: {
    summary: 'Copy an embedded store into one file while it is used.',
    load: () =>
      import('./backup.ts').then(({ backup, backupOptions: options }) => ({ run: backup, options })),
  },
  restore: {
    summary: 'Put a backup in the place of an embedded store.',
    load: () =>
      import('./backup.ts').then(({ restore, restoreOptions: options }) => ({ run: restore, options })),
  },
  doctor: {
    summary: 'Look for what is wrong, and say how to fix it.',
    load: async () => {
      const [{ doctor }, { flagOptions }] = await Promise.all([
        import('./doctor/command.ts'),
        import('./config.ts'),
      ]);
      return { run: doctor, options: { ...flagOptions(), json: { type: 'boolean' } } };
    },
  },
  completion: {
    summary: 'Print the completion script of a shell.',
    load: () =>
      import('./completion/command.ts').then(({ completion, options }) => ({ run: completion, options })),
  },
};

/** The list of commands for the help: one line for each, or for each of its actions. */
export function listCommands(): string {
  return Object.entries(commands)
    .flatMap(([name, { summary }]) =>
      typeof summary === 'string'
        ? [[name, summary]]
        : Object.entries(summary).map(([action, text]) => [`${name} ${action}`, text]),
    )
    .map(([usage = '', text]) => `  ${usage.padEnd(22)}${text}`)
    .join('\n');
}
