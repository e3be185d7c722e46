import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleAddress } from '../../src/docs/examples.ts';
import { openListeningService } from '../support/http/listening.ts';
import { linkClient } from '../support/process/package.ts';

interface ShownExample {
  text: string;
  prints: string;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-examples-'));
  await linkClient(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The examples in the docs, in order. */
function examplesOf(html: string, language: string): ShownExample[] {
  const figures = html.matchAll(
    /<figure data-language="(\w+)">.*?<pre[^>]*><code>(.*?)<\/code><\/pre>\s*<pre[^>]*><code>(.*?)<\/code>/gs,
  );
  return [...figures]
    .filter(([, found]) => found === language)
    .map(([, , text = '', prints = '']) => ({ text: unescape(text), prints: unescape(prints) }));
}

function unescape(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

const commandOf: Record<string, (text: string) => Promise<string[]>> = {
  curl: async (text) => ['sh', '-c', text],
  async typescript(text) {
    const file = join(folder, `${Bun.hash(text)}.ts`);
    await Bun.write(file, text);
    return [process.execPath, file];
  },
};

describe('the examples of /docs', () => {
  for (const language of ['curl', 'typescript']) {
    it(`print the shown output: ${language}`, async () => {
      await using service = await openListeningService();
      const html = await (await service.call('/docs')).text();
      const examples = examplesOf(html, language);
      expect(examples.length).toBe(6);
      for (const { text, prints } of examples) {
        const command = await commandOf[language]!(text.replaceAll(exampleAddress, service.url));
        const child = Bun.spawn(command, {
          cwd: folder,
          env: { ...process.env, API_KEY: service.apiKey },
          stdio: ['ignore', 'pipe', 'pipe'],
          timeout: 30_000,
        });
        const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
        expect(stdout.trim(), `${text}\n${stderr}`).toBe(prints);
      }
    });
  }
});
