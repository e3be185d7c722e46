import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { project, run } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';

it('installs a version that is newer than what npm has cached of its package', async () => {
  using folder = makeFolder();
  const versions: Record<string, object> = {};
  using registry = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ url }) {
      const [, version] = /demo-(.+)\.tgz$/.exec(url) ?? [];
      if (version === undefined) return Response.json({ name: 'demo', versions });
      const manifest = JSON.stringify({ name: 'demo', version });
      return new Response(
        await new Bun.Archive({ 'package/package.json': manifest }, { compress: 'gzip' }).blob(),
      );
    },
  });
  const env = {
    ...process.env,
    npm_config_registry: String(registry.url),
    npm_config_cache: join(folder.path, 'cache'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
  const write = (name: string, content: object) =>
    Bun.write(join(folder.path, name), JSON.stringify(content));
  for (const version of ['1.0.0', '1.0.1']) {
    versions[version] = {
      name: 'demo',
      version,
      dist: { tarball: `${registry.url.origin}/demo-${version}.tgz` },
    };
    const dependencies = { demo: version };
    await write('package.json', { dependencies });
    await write('package-lock.json', {
      lockfileVersion: 3,
      packages: { '': { dependencies }, 'node_modules/demo': { version } },
    });
    const install = ['node', join(project, 'scripts/ensure-installed.mjs')];
    expect(await run(install, folder.path, env)).toMatchObject({ status: 0 });
    expect(await Bun.file(join(folder.path, 'node_modules/demo/package.json')).json()).toMatchObject({
      version,
    });
    // Nothing is left to install.
    expect(await run(install, folder.path, env)).toMatchObject({ status: 0, stderr: '' });
  }
});
