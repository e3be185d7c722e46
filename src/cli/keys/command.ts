import { Option, type Command } from 'commander';
import { auditHelp } from '../audit.ts';
import { settings } from '../settings.ts';
import { addExamples } from '../terminal/help.ts';
import { parseDuration } from '../values.ts';
import { create, list, revoke, rotate } from './actions.ts';
import { parseExpiry, parseName } from './values.ts';

const dayMs = 86_400_000;
const id = ['<id>', 'The id that petstore keys list shows.'] as const;
const createExamples = [
  'petstore keys create --name till-2',
  'petstore keys create --name fair --expires 3d --json',
  'petstore keys create --name window --read-only',
];
const rotateExamples = ['petstore keys rotate 2', 'petstore keys rotate 2 --overlap 7d'];

export function define(keys: Command): void {
  const now = new Date();
  keys
    .description(
      'Create, list, rotate and revoke the API keys of a store. A running service notices at once. Run this as the ' +
        'user that the service runs as.',
    )
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp);
  addExamples(
    keys,
    ...createExamples,
    'petstore keys list',
    'petstore keys rotate 2',
    'petstore keys revoke 2',
  );

  const createCommand = keys
    .command('create')
    .description('Create an API key and show it once.')
    .requiredOption('--name <name>', 'What the key is for, such as the till that uses it.', parseName)
    .option(
      '--expires <when>',
      'A date (2027-01-31, 2027-01-31T12:00:00Z) or a time from now (30m, 12h, 90d).',
      (text) => parseExpiry(text, now),
    )
    .option('--read-only', 'Let the key list and fetch, and change nothing.')
    .action((_options, command: Command) => create(now, command.optsWithGlobals()));
  addExamples(createCommand, ...createExamples);

  const listCommand = keys
    .command('list')
    .description('Show all API keys.')
    .action((_options, command: Command) => list(command.optsWithGlobals()));
  addExamples(listCommand, 'petstore keys list', 'petstore keys list --json');

  const rotateCommand = keys
    .command('rotate')
    .description(
      'Replace a key: create one with the same name and rights, and show it once. The old key expires after the overlap.',
    )
    .argument(...id)
    .addOption(
      new Option('--overlap <time>', 'How long both keys are valid (30m, 24h, 7d).')
        .default(dayMs, '24h')
        .argParser(parseDuration),
    )
    .option(
      '--expires <when>',
      'As for create. Without it, the new key gets the same lifetime as the old one.',
      (text) => parseExpiry(text, now),
    )
    .action((given: string, _options, command: Command) => rotate(given, now, command.optsWithGlobals()));
  addExamples(rotateCommand, ...rotateExamples);

  const revokeCommand = keys
    .command('revoke')
    .description('Refuse a key from now on.')
    .argument(...id)
    .action((given: string, _options, command: Command) => revoke(given, command.optsWithGlobals()));
  addExamples(revokeCommand, 'petstore keys revoke 2');
}
