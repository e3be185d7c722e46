import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const document = readFileSync(join(import.meta.dir, '../../docs/clients.md'), 'utf8');

/** The blocks of code in a section of docs/clients.md, by language. */
export function blocksOf(heading: string): Record<string, string> {
  const [, section = ''] = document.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)];
  return Object.fromEntries(blocks.map(([, language = '', block = '']) => [language, block]));
}
