import { join } from 'node:path';
import { contractFile, type Tester, type TesterOptions } from './tester.ts';

/** The suite that portman generates from the document by default, run by newman. */
export async function openPortman({ folder, versions, sandbox }: TesterOptions): Promise<Tester> {
  const collection = join(folder, 'collection.json');
  const program = join(folder, 'node_modules/.bin/portman');
  const generated = Bun.spawn(
    [program, '--local', contractFile, '--baseUrl', `${sandbox.url}/v1`, '--output', collection],
    {
      cwd: folder,
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
  if ((await generated.exited) !== 0) throw new Error('portman could not generate a suite.');

  // One process for all runs, because newman takes seconds to load.
  const runner = new URL('newman.mjs', import.meta.url).pathname;
  const newman = Bun.spawn(['node', runner, folder, collection, sandbox.apiKey], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const results = lines(newman.stdout);
  return {
    name: `portman ${versions['@apideck/portman']}, its suite run by newman ${versions['newman']}`,
    async run() {
      await newman.stdin.write('run\n');
      await newman.stdin.flush();
      const { value, done } = await results.next();
      if (done) throw new Error('newman ended.');
      return new Set(JSON.parse(value) as string[]);
    },
    async [Symbol.asyncDispose]() {
      await newman.stdin.end();
      await newman.exited;
    },
  };
}

async function* lines(output: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
