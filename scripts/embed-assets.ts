import type { BunPlugin } from 'bun';
import { bundleAssets } from '../packages/web/src/index.ts';

/**
 * A plugin that replaces the code that bundles the console and the docs by its result: a one-file executable has
 * neither their sources nor Preact.
 */
export async function embedAssets(): Promise<BunPlugin> {
  // Before the build begins: a bundler that waits for another one inside itself never ends.
  const assets = JSON.stringify(await bundleAssets());
  return {
    name: 'embed-assets',
    setup(build) {
      build.onLoad({ filter: /[\\/]web[\\/]src[\\/]bundle\.ts$/ }, () => ({
        loader: 'ts',
        contents: `export const bundleAssets = async () => (${assets});`,
      }));
    },
  };
}
