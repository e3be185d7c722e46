import { hash } from 'node:crypto';
import { join } from 'node:path';

export interface Asset {
  contentType: string;
  body: string;
}

/** What the pages load: the address of each file, and under its address the file itself. */
export interface Bundle {
  /** By entry: `page.js`, `page.css`, `docs.js`, `docs.css`, `icon.svg`. */
  addresses: Record<string, string>;
  /** By the last part of the address, which changes with every byte of the content. */
  assets: Record<string, Asset>;
}

const consoleFolder = join(import.meta.dir, '../../console');
const docsFolder = join(import.meta.dir, '../../docs/browser');
const contentTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Bundles the pages from their sources: a few milliseconds, once, when a page is first asked for. A one-file
 * executable has no sources: its build puts the result in the place of this file (`scripts/embed-pages.ts`).
 */
export async function bundlePages(): Promise<Bundle> {
  const { outputs } = await Bun.build({
    entrypoints: [
      join(consoleFolder, 'page.tsx'),
      join(consoleFolder, 'styles/page.css'),
      join(docsFolder, 'docs.ts'),
      join(docsFolder, 'docs.css'),
    ],
    target: 'browser',
    minify: true,
    naming: '[name].[ext]',
    // Otherwise the bundler takes the paths of a tsconfig.json in the folder where the service was started.
    tsconfig: join(consoleFolder, 'tsconfig.json'),
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  });
  const files = await Promise.all(
    outputs.map(async (output) => [output.path.replace(/^.*\//, ''), await output.text()] as const),
  );
  const icon = await Bun.file(join(consoleFolder, 'icon.svg')).text();
  return toBundle([...files, ['icon.svg', icon]]);
}

function toBundle(files: (readonly [name: string, body: string])[]): Bundle {
  const bundle: Bundle = { addresses: {}, assets: {} };
  for (const [name, body] of files) {
    const [stem = '', extension = ''] = name.split('.');
    const unique = `${stem}-${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`;
    bundle.addresses[name] = `assets/${unique}`;
    bundle.assets[unique] = { contentType: contentTypes[extension] ?? 'application/octet-stream', body };
  }
  return bundle;
}
