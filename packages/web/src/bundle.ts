import { hash } from 'node:crypto';
import { join } from 'node:path';

export interface Asset {
  /** `console.js`, `console.css`, `docs.js`, `docs.css` or `icon.svg`. */
  name: string;
  /** The name with a hash of the content: `console-0123456789abcdef.js`. */
  uniqueName: string;
  contentType: string;
  body: string;
}

/** Bundles the assets of the console and the docs. The one-file build replaces this file: `scripts/executable.ts`. */
export async function bundleAssets(): Promise<Asset[]> {
  // `sideEffects` in package.json keeps the parts of the client that the docs do not use out of their script, too.
  const { outputs } = await Bun.build({
    entrypoints: [
      join(import.meta.dir, 'console/console.tsx'),
      join(import.meta.dir, 'console/styles/console.css'),
      join(import.meta.dir, 'docs/browser/docs.ts'),
      join(import.meta.dir, 'docs/styles/docs.css'),
    ],
    target: 'browser',
    minify: true,
    naming: '[name].[ext]',
    // Without this, the bundler reads tsconfig.json from the folder in which the service was started.
    tsconfig: join(import.meta.dir, '../tsconfig.json'),
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  });
  const bundled = outputs.map(async (output) =>
    toAsset(output.path.replace(/^.*\//, ''), await output.text()),
  );
  const icon = await Bun.file(join(import.meta.dir, 'theme/icon.svg')).text();
  return [...(await Promise.all(bundled)), toAsset('icon.svg', icon)];
}

function toAsset(name: string, body: string): Asset {
  const [stem = '', extension = ''] = name.split('.');
  return {
    name,
    uniqueName: `${stem}-${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`,
    contentType: Bun.file(name).type,
    body,
  };
}
