import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usageError } from '../error.ts';

/** Reads the arguments of a command; whatever it does not know is refused with a line that says where to look. */
export function readArguments<const Config extends Omit<ParseArgsConfig, 'args'>>(
  command: string,
  args: string[],
  config: Config,
) {
  try {
    return parseArgs<Config & { args: string[] }>({ ...config, args: joinNegativeNumbers(args) });
  } catch (error) {
    const [problem] = (error as Error).message.split(/\.? *\n|\. /);
    throw usageError(`${problem}. See: petstore ${command} --help`);
  }
}

/** A negative number is a value, not a flag: behind a flag it is joined to it, otherwise it stands behind `--`. */
function joinNegativeNumbers(args: string[]): string[] {
  if (args.includes('--')) return args;
  const others: string[] = [];
  const numbers: string[] = [];
  for (const arg of args) {
    const isFlag = others.at(-1)?.match(/^--[^=]+$/);
    if (!/^-\d+$/.test(arg)) others.push(arg);
    else if (isFlag) others.push(`${others.pop()}=${arg}`);
    else numbers.push(arg);
  }
  return numbers.length === 0 ? others : [...others, '--', ...numbers];
}

/** An integer of a flag, within bounds. */
export function integerOf(flag: string, text: string, smallest: number, largest: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(value >= smallest && value <= largest)) {
    throw usageError(`${flag} must be an integer from ${smallest} to ${largest}, not "${text}".`);
  }
  return value;
}

/** One of the values that a flag allows. */
export function choiceOf<Value extends string>(flag: string, text: string, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw usageError(`${flag} must be one of ${values.join(', ')}, not "${text}".`);
  return value;
}
