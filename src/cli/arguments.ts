import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usage } from './config.ts';

/** Reads the arguments of a command; whatever it does not know is refused with a line that says where to look. */
export function readArguments<const Config extends Omit<ParseArgsConfig, 'args'>>(
  command: string,
  args: string[],
  config: Config,
) {
  try {
    return parseArgs<Config & { args: string[] }>({ ...config, args });
  } catch (error) {
    throw usage(`${(error as Error).message.split('. ')[0]}. See: petstore ${command} --help`);
  }
}

/** An integer of a flag, within bounds. */
export function integerOf(flag: string, text: string, smallest: number, largest: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(value >= smallest && value <= largest)) {
    throw usage(`${flag} must be an integer from ${smallest} to ${largest}, not "${text}".`);
  }
  return value;
}

/** One of the values that a flag allows. */
export function choiceOf<Value extends string>(flag: string, text: string, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw usage(`${flag} must be one of ${values.join(', ')}, not "${text}".`);
  return value;
}
