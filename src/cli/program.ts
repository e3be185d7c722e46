import { styleText } from 'node:util';
import { Command, type CommanderError, type HelpConfiguration, type OutputConfiguration } from 'commander';
import { version } from '../../package.json';
import { usageError } from '../domain/error.ts';
import { addExamples } from './terminal/usage.ts';

interface CommandEntry {
  summary: string;
  /** Loads the function that gives a command its description, options and action. */
  load: () => Promise<{ define(command: Command): void }>;
}

/** Every command. A command's module is loaded on use, so that the others do not slow down its start. */
export const commands: Record<string, CommandEntry> = {
  serve: { summary: 'Serve the API.', load: () => import('./serve.ts') },
  keys: { summary: 'Create, list and revoke API keys.', load: () => import('./keys.ts') },
  import: { summary: 'Add the pets in a file.', load: () => import('./import/command.ts') },
  export: { summary: 'Write all pets to a file.', load: () => import('./export.ts') },
  seed: { summary: 'Add sample pets.', load: () => import('./seed.ts') },
  copy: { summary: 'Copy a whole store, for example to a database server.', load: () => import('./copy.ts') },
  migrate: { summary: "Make a store's tables.", load: () => import('./migrate.ts') },
  backup: { summary: 'Back up an embedded store while it is in use.', load: () => import('./backup.ts') },
  backups: {
    summary: 'List, rehearse and check the backups of a store.',
    load: () => import('./backups.ts'),
  },
  restore: { summary: 'Replace an embedded store with a backup.', load: () => import('./restore.ts') },
  health: { summary: 'Ask a running service whether it is ready.', load: () => import('./health.ts') },
  check: { summary: 'Check the settings and the whole store.', load: () => import('./check.ts') },
};

/** The command line. Each command is defined just before it is parsed. */
export function createProgram(): Command {
  const program = new Command('petstore')
    .description(`petstore ${version}: a Pet Store API, and the tools to run it.`)
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand('help [command]', 'Show the help of a command.')
    .version(version, '--version', 'Show the version.')
    .option(
      '--env-file <file>',
      'Read settings from a file of NAME=value lines. The environment and flags win.',
    )
    .configureHelp(helpStyle)
    .configureOutput(helpOutput)
    .exitOverride((error) => leave(error, 'petstore'))
    .hook('preSubcommand', async (_program, command) => {
      const { envFile } = program.opts<{ envFile?: string }>();
      if (envFile !== undefined) (await import('./settings.ts')).readEnvFile(envFile, process.env);
      (await commands[command.name()]?.load())?.define(command);
      for (const action of command.commands) {
        action.exitOverride((error) => leave(error, `petstore ${command.name()} ${action.name()}`));
      }
    });
  for (const [name, { summary }] of Object.entries(commands)) {
    program
      .command(name)
      .summary(summary)
      .exitOverride((error) => leave(error, `petstore ${name}`));
  }
  return addExamples(program, 'petstore serve --port 8080', 'petstore keys create --name till-2');
}

const width = (): number => Math.min(80, process.stdout.columns || 80);

const helpStyle: HelpConfiguration = {
  showGlobalOptions: true,
  styleTitle: (text) => styleText('bold', text),
  styleOptionTerm: (text) => styleText('cyan', text),
  styleSubcommandTerm: (text) => styleText('cyan', text),
  styleArgumentTerm: (text) => styleText('cyan', text),
};

/** Errors are thrown, not printed. Commander writes to standard error only to show an incomplete command's help. */
const helpOutput: OutputConfiguration = {
  getOutHelpWidth: width,
  getErrHelpWidth: width,
  getErrHasColors: () => process.stdout.isTTY && process.stdout.hasColors(),
  outputError: () => {},
  writeErr: (text) => process.stdout.write(text),
};

/** Ends parsing: turns an error of commander into ours. Help and version are already printed and pass through. */
function leave(error: CommanderError, path: string): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const [problem = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`;
  const remedy = `${suggestion.replace(/^\((.*)\)$/, '$1 ')}See: ${path} --help`;
  throw usageError(sentence, remedy);
}
