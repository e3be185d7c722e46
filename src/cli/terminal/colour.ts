import { styleText } from 'node:util';

/** Whether a stream shows colour; see no-color.org. */
export function hasColour({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

/** Text in a style, wherever it goes. */
export function style(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { validateStream: false });
}
