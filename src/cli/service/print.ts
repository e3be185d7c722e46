import { renderTable } from '../terminal/output.ts';
import { openStandardOutput } from '../terminal/sink.ts';
import { visible } from '../terminal/visible.ts';
import type { ConnectionOptions } from './connect.ts';

/** How things of one kind are shown: a table on a terminal, JSON in a pipe. */
export interface Shown<Item> {
  /** For messages, such as `pets`. */
  plural: string;
  headings: string[];
  cellsOf: (item: Item) => string[];
  /** Exactly the text of the service. */
  jsonOf: (item: Item) => string;
}

export interface ShownPage<Item> {
  items: Item[];
  next?: string;
}

export function wantsTable({ json }: ConnectionOptions): boolean {
  return process.stdout.isTTY && !json;
}

export function printOne<Item>(options: ConnectionOptions, shown: Shown<Item>, item: Item): void {
  process.stdout.write(
    wantsTable(options)
      ? renderTable([shown.headings, shown.cellsOf(item)])
      : `${safeOnTerminal(shown.jsonOf(item))}\n`,
  );
}

/** Prints the first page, or with `all` every page as it arrives, so that a list of any length fits in memory. */
export async function printPages<Item>(
  options: ConnectionOptions & { all?: boolean },
  shown: Shown<Item>,
  getPage: (next?: string) => Promise<ShownPage<Item>>,
): Promise<void> {
  const write = openStandardOutput();
  const isTable = wantsTable(options);
  const render = isTable ? renderRows : renderElements;
  let page = await getPage();
  let count = page.items.length;
  let isWanted = await write(render(shown, page.items, true));
  while (options.all && isWanted && page.next !== undefined) {
    page = await getPage(page.next);
    count += page.items.length;
    isWanted = await write(render(shown, page.items, false));
  }
  if (!isWanted) return;
  if (!isTable) await write(count === 0 ? '[]\n' : '\n]\n');
  else if (count === 0) await write(`There are no ${shown.plural}.\n`);
  else if (page.next !== undefined) process.stderr.write('There are more: see --limit and --all.\n');
}

/** A part of a table; the first has the headings. */
function renderRows<Item>({ headings, cellsOf }: Shown<Item>, items: Item[], isFirst: boolean): string {
  const lines = renderTable([headings, ...items.map(cellsOf)]);
  if (items.length === 0) return '';
  return isFirst ? lines : lines.slice(lines.indexOf('\n') + 1);
}

/** A part of a JSON array; its end is not included. */
function renderElements<Item>({ jsonOf }: Shown<Item>, items: Item[], isFirst: boolean): string {
  return items
    .map((item, index) => `${isFirst && index === 0 ? '[' : ','}\n  ${safeOnTerminal(jsonOf(item))}`)
    .join('');
}

function safeOnTerminal(json: string): string {
  return process.stdout.isTTY ? visible(json) : json;
}
