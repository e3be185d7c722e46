import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkClient } from '../process/package.ts';

export interface ShownSample {
  language: string;
  code: string;
  /** The output or the body that the docs show for it. */
  prints: string;
}

/** The samples in the HTML of the docs, in order. */
export function samplesOf(html: string): ShownSample[] {
  const figures = html.matchAll(/<figure data-language="(\w+)">(.*?)<\/figure>/gs);
  return [...figures].map(([, language = '', content = '']) => {
    const blocks = [...content.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, block = '']) => toText(block));
    const [code = '', prints = ''] = blocks;
    return { language, code, prints: prints === 'No body' ? '' : prints };
  });
}

function toText(html: string): string {
  return html
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

export interface SampleFolder extends AsyncDisposable {
  path: string;
  /** Writes the code to a file, unless a shell runs it, and returns the command. */
  commandOf(sample: ShownSample): Promise<string[]>;
}

/** A folder in which `petstore-client` is installed. */
export async function openSampleFolder(): Promise<SampleFolder> {
  const path = await mkdtemp(join(tmpdir(), 'petstore-samples-'));
  await linkClient(path);
  return {
    path,
    async commandOf({ language, code }) {
      if (language === 'curl') return ['sh', '-c', code];
      const file = join(path, `${Bun.hash(code)}.ts`);
      await Bun.write(file, code);
      return [process.execPath, file];
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/**
 * What two outputs have in common when only their values differ: the names and types of JSON, the kinds of words of a
 * text. A list or a text has the shapes of its items or lines, each once.
 */
export function shapeOf(output: string): unknown {
  const body = output.trim().replace(/^\d{3}(?: (?=[[{])|$)/, '');
  try {
    return shapeOfValue(JSON.parse(body));
  } catch {
    return [...new Set(body.split('\n').map(shapeOfLine))];
  }
}

function shapeOfValue(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOfValue(item))))];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOfValue(field)]));
}

function shapeOfLine(line: string): string {
  if (line.includes(': ') || line.includes('GMT')) return line.trim();
  return line
    .trim()
    .split(' ')
    .map((word) =>
      /^\d+n$/.test(word) ? 'bigint' : /^\d+$/.test(word) ? 'number' : /^\d{4}-/.test(word) ? 'date' : 'word',
    )
    .join(' ');
}
