import { expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedAssets } from '../../scripts/embed-assets.ts';
import { openService } from '../support/http/service.ts';

it('embeds the console of the sources in a build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-embedded-'));
  try {
    await Bun.write(
      join(folder, 'entry.ts'),
      `import { createDocuments } from ${JSON.stringify(join(import.meta.dir, '../../src/http/web/documents.ts'))};
      const request = new Request('http://127.0.0.1/');
      const { body } = await createDocuments({}).home({ request, caller: '', parameter: undefined });
      process.stdout.write(body);`,
    );
    await Bun.build({
      entrypoints: [join(folder, 'entry.ts')],
      outdir: join(folder, 'built'),
      target: 'bun',
      plugins: [await embedAssets()],
    });
    const child = Bun.spawn([process.execPath, join(folder, 'built/entry.js')], {
      cwd: folder,
      stdout: 'pipe',
    });
    await using service = await openService();
    expect(await child.stdout.text()).toBe(await (await service.call('/')).text());
  } finally {
    await rm(folder, { recursive: true });
  }
});
