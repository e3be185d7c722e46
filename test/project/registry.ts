import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { project } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';

const modules = join(project, 'node_modules');
const placeholder = join(import.meta.dir, '../fixtures/bun-placeholder.txt');

export interface Registry extends AsyncDisposable {
  /** For `npm`, which then neither calls anybody else nor reads or changes the cache of this machine. */
  env: Record<string, string>;
}

interface Manifest {
  name: string;
  version: string;
}

/**
 * An npm registry on this machine that has the packages which are installed here. Bun is as npm has it: a text is in the
 * place of the program, until its install script moves the program there from the platform's package.
 */
export function openRegistry(): Registry {
  const folder = makeFolder();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Packing a large package takes longer than the default on a busy machine.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      const [, name = '', isTarball] =
        /^\/(.+?)(\/-\/package\.tgz)?$/.exec(decodeURIComponent(pathname)) ?? [];
      const file = Bun.file(join(modules, name, 'package.json'));
      if (!(await file.exists())) return new Response('{}', { status: 404 });
      if (isTarball) return new Response(pack(name, folder.path));
      const manifest = (await file.json()) as Manifest;
      const version = { ...manifest, dist: { tarball: `${origin}/${name}/-/package.tgz` } };
      return Response.json({
        name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: version },
      });
    },
  });
  return {
    env: {
      npm_config_registry: String(server.url),
      npm_config_cache: join(folder.path, 'cache'),
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      folder[Symbol.dispose]();
    },
  };
}

/** A package as a tar archive, whose files are in the folder `package`. */
function pack(name: string, folder: string): ReadableStream {
  const parent = mkdtempSync(join(folder, 'package-'));
  const packed = join(parent, 'package');
  const installed = join(modules, name);
  const link = (from: string, to: string) => {
    mkdirSync(dirname(join(packed, to)), { recursive: true });
    symlinkSync(from, join(packed, to));
  };
  if (name === 'bun') {
    for (const file of ['package.json', 'install.js']) link(join(installed, file), file);
    for (const file of ['bin/bun.exe', 'bin/bunx.exe']) link(placeholder, file);
  } else if (name.startsWith('@oven/')) {
    link(join(installed, 'package.json'), 'package.json');
    link(process.execPath, 'bin/bun');
  } else symlinkSync(installed, packed);
  return Bun.spawn(['tar', '-chf', '-', '-C', parent, 'package']).stdout;
}
