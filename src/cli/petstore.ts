#!/usr/bin/env bun
import { version } from '../../package.json';
import { OperatorError } from '../error.ts';
import { describeError } from '../log.ts';
import { redactKeys } from '../api-key.ts';
import { usage } from './config.ts';

const help = `petstore ${version}: keeps the animals of a store.

Usage: petstore <command> [options]

Commands:
  serve                 Serve the interface.
  keys create           Make an API key and show it once.
  keys list             Show all API keys.
  keys revoke <id>      Refuse a key from now on.

Options:
  --help                Show this help, or that of a command: petstore serve --help
  --version             Show the version.

Examples:
  petstore serve --port 8080
  petstore keys create --name till-2
`;

type Command = (args: string[]) => Promise<number>;

// Each command is loaded when it is asked for, so that none of them starts slower for the others.
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  worker: async () => (await import('./workers.ts')).serveAsWorker,
  keys: async () => (await import('./keys.ts')).keys,
};

process.exitCode = await run(process.argv.slice(2));

async function run([name = '--help', ...args]: string[]): Promise<number> {
  try {
    if (name === '--help' || name === '-h' || name === 'help') return print(help);
    if (name === '--version') return print(`${version}\n`);
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!load) throw usage(`There is no command "${redactKeys(name)}". See: petstore --help`);
    return await (
      await load()
    )(args);
  } catch (error) {
    const isExpected = error instanceof OperatorError;
    process.stderr.write(`petstore: ${redactKeys(isExpected ? error.message : describeError(error))}\n`);
    return isExpected ? error.exitStatus : 1;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
