import { afterAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { openSampleFolder, samplesOf, type ShownSample } from '../support/docs/samples.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { openService } from '../support/http/service.ts';

const folder = await openSampleFolder();
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs a sample in a store that holds pets and returns what it prints. */
async function run(sample: ShownSample): Promise<string> {
  await using service = await openListeningService();
  await service.client.createPet({ name: 'Rex', categoryId: 1n, status: 'available' });
  await service.client.createPet({ name: 'Mia', categoryId: 2n });
  await service.client.createPet({ name: 'Luna', categoryId: 1n, status: 'available' });
  await service.client.createPet({ name: 'Balu', categoryId: 3n, status: 'sold' });
  if (/categories|Category\(/.test(sample.code)) await service.client.putCategory(7n, 'Cats');
  return await runIn(service, sample);
}

async function runIn({ url, apiKey }: ListeningService, sample: ShownSample): Promise<string> {
  const code = sample.code.replaceAll(exampleAddress, url);
  const child = Bun.spawn(await folder.commandOf({ ...sample, code }), {
    cwd: folder.path,
    env: { ...process.env, API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(await child.exited, `${code}\n${stderr}`).toBe(0);
  return stdout;
}

// The larger document: everything of v1 is in it.
const documented = await openService();
const samples = samplesOf(await (await documented.call('/docs')).text());
await documented.close();

describe('the samples of /docs', () => {
  it('exist for five steps of the guide and every operation, in two languages', () => {
    expect(samples.map(({ language }) => language)).toEqual(
      Array.from({ length: 18 }, () => ['curl', 'typescript']).flat(),
    );
  });

  it('run with curl one after another in a new store', async () => {
    await using service = await openListeningService();
    const [, create, retries, pages, , , createPet] = samples.filter(({ language }) => language === 'curl');
    for (const sample of [create!, retries!, pages!, createPet!])
      expect(shapeOf(await runIn(service, sample)), sample.code).toEqual(shapeOf(sample.prints));
    expect((await service.client.listPets()).pets.map(({ name }) => name)).toEqual(['Rex', 'Mia', 'Rex']);
  });

  it.each(samples.map((sample, index) => [Math.floor(index / 2) + 1, sample.language, sample] as const))(
    'give a response of the documented shape: sample %d in %s',
    async (_number, _language, sample) => {
      expect(shapeOf(await run(sample)), sample.code).toEqual(shapeOf(sample.prints));
    },
  );

  it('pass the type checker', async () => {
    await using checked = await openSampleFolder();
    const programs = samples.filter(({ language }) => language === 'typescript');
    const files = await Promise.all(programs.map((sample) => checked.commandOf(sample)));
    const root = join(import.meta.dir, '../..');
    await Bun.write(
      join(checked.path, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          typeRoots: [join(root, 'node_modules/@types')],
          noPropertyAccessFromIndexSignature: false,
        },
        files: files.map(([, file]) => file),
        include: [],
      }),
    );
    const tsc = Bun.spawn([join(root, 'node_modules/.bin/tsc'), '-p', checked.path], { stdout: 'pipe' });
    expect(await tsc.stdout.text()).toBe('');
  });
});

/**
 * What two outputs have in common when only their values differ: the names and types of JSON, the kinds of words of a
 * text. A list or a text has the shapes of its items or lines, each once.
 */
function shapeOf(output: string): unknown {
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
