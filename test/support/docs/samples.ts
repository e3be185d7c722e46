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
