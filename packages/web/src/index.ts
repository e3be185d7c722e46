/** All that the service uses of this package: the HTML of the console and the docs, and the assets of both. */
export { bundleAssets } from './bundle.ts';
export { renderDocs } from './docs/render.ts';
export { renderConsole } from './html.ts';
