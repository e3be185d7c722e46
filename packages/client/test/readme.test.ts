import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceErrorCodes } from '../src/error.ts';
import * as client from '../src/index.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { linkClient, project, run } from '../../../test/support/process/package.ts';
import { installTools, nodes } from '../../../test/support/process/tools.ts';

const readme = await readFile(join(project, 'packages/client/README.md'), 'utf8');
const samples = [...readme.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)].map(
  ([, text = '', prints], index) => ({ file: `sample-${index}.ts`, text, prints }),
);

let folder: string;
beforeAll(async () => {
  await installTools();
  folder = await mkdtemp(join(tmpdir(), 'petstore-client-readme-'));
  await linkClient(folder);
  for (const { file, text } of samples) await Bun.write(join(folder, file), text);
  await Bun.write(join(folder, 'process.d.ts'), 'declare const process: { env: { API_KEY?: string } };');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the README of the client', () => {
  it('has samples that compile', async () => {
    const tsc = join(project, 'node_modules/.bin/tsc');
    const options =
      '--noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions ' +
      '--module esnext --moduleResolution bundler --target es2022 --lib es2022,dom';
    const files = samples.map(({ file }) => file);
    const command = [tsc, ...options.split(' '), '--types', '', 'process.d.ts', ...files];
    expect(await run(command, folder)).toMatchObject({ status: 0, stdout: '' });
  });

  it.each(nodes)('has samples that %s runs without a compiler', async (_name, node) => {
    for (const { file, text } of samples.filter((sample) => sample.text.includes('import '))) {
      const script = file.replace('.ts', '.mjs');
      await Bun.write(join(folder, script), text);
      expect(await run([node, '--check', script], folder), text).toMatchObject({ status: 0, stderr: '' });
    }
  });

  it('has samples that print what it shows', async () => {
    await using service = await openListeningService();
    const printing = samples.filter(({ prints }) => prints !== undefined);
    expect(printing.length).toBeGreaterThanOrEqual(3);
    for (const { file, text, prints } of printing) {
      await Bun.write(join(folder, file), text.replaceAll('https://pets.example', service.url));
      const env = { ...process.env, API_KEY: service.apiKey };
      const { stdout, stderr } = await run([process.execPath, file], folder, env);
      expect(stdout, `${text}\n${stderr}`).toBe(prints ?? '');
    }
  });

  it('has a sample of the beta operations that sells a pet', async () => {
    await using service = await openListeningService();
    const [sample] = samples.filter(({ text }) => text.includes('updatePet'));
    const { file = '', text = '' } = sample ?? {};
    await Bun.write(join(folder, file), text.replaceAll('https://pets.example', service.url));
    const env = { ...process.env, API_KEY: service.apiKey };
    const { stdout, stderr } = await run([process.execPath, file], folder, env);
    expect(stdout, stderr).toMatch(/^Mia\n1n \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    expect(await Array.fromAsync(service.client.pets())).toEqual([]);
  });

  it('names every option, every call, every export for programs and every code', async () => {
    const options = await readFile(join(project, 'packages/client/src/options.ts'), 'utf8');
    const [clientOptions = ''] = /interface ClientOptions \{.*?^\}/ms.exec(options) ?? [];
    const optionNames = [...clientOptions.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = '']) => name);
    expect(optionNames).toContain('maxRetryAfterMs');
    const [codes = ''] = /^\| Code \|.*?\n\n/ms.exec(readme) ?? [];
    expect(serviceErrorCodes.filter((code) => !codes.includes(`\`${code}\``))).toEqual([]);
    for (const name of [...optionNames, ...Object.keys(client)]) {
      expect({ name, isNamed: readme.includes(name) }).toEqual({ name, isNamed: true });
    }
  });
});
