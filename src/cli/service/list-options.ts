import { Option, type Command } from 'commander';
import { pageLimit } from '../../domain/pet.ts';
import { integerFrom } from '../values.ts';
import type { ConnectionOptions } from './connect.ts';

export interface ListOptions<Status> extends ConnectionOptions {
  status?: Status;
  limit: number;
  all?: boolean;
}

/** Adds the options of a list; `plural` says of what. */
export function addListOptions(command: Command, plural: string, statuses: readonly string[]): Command {
  const { smallest, largest } = pageLimit;
  return command
    .addOption(new Option('--status <status>', `Only ${plural} with this status.`).choices(statuses))
    .addOption(
      new Option('--limit <number>', `How many ${plural} at most, ${smallest} to ${largest}.`)
        .argParser(integerFrom(smallest, largest))
        .default(pageLimit.default)
        .conflicts('all'),
    )
    .option('--all', `All ${plural}, page by page.`);
}

/** The first page that these options ask for. */
export function firstPageOf<Status>({ status, limit, all }: ListOptions<Status>) {
  return { status, limit: all ? pageLimit.largest : limit };
}
