import { expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedPages } from '../../scripts/embed-pages.ts';
import { openService } from '../support/http/service.ts';

it('embedPages gives a build the very pages that the sources give', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-embedded-'));
  try {
    await Bun.write(
      join(folder, 'entry.ts'),
      `import { createDocs } from ${JSON.stringify(join(import.meta.dir, '../../src/http/web/documents.ts'))};
      const request = new Request('http://127.0.0.1/');
      const { body } = await createDocs().homePage({ request, caller: '', petId: undefined });
      process.stdout.write(body);`,
    );
    await Bun.build({
      entrypoints: [join(folder, 'entry.ts')],
      outdir: join(folder, 'built'),
      target: 'bun',
      plugins: [await embedPages()],
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
}, 30_000);
