import type { BunPlugin } from 'bun';
import { bundlePages } from '../src/http/web/bundle.ts';

/**
 * A plugin that puts the pages, bundled, in the place of the code that bundles them: for a one-file executable,
 * which has neither their sources nor Preact beside it.
 */
export async function embedPages(): Promise<BunPlugin> {
  // Before the build begins: a bundler that waits for another one inside itself would wait for ever.
  const pages = JSON.stringify(await bundlePages());
  return {
    name: 'embed-pages',
    setup(build) {
      build.onLoad({ filter: /[\\/]web[\\/]bundle\.ts$/ }, () => ({
        loader: 'ts',
        contents: `export const bundlePages = async () => (${pages});`,
      }));
    },
  };
}
