import { bundleAssets, renderConsole, renderDocs } from '../../../packages/web/src/index.ts';
import { statusOfCode } from '../../domain/error.ts';
import type { Handler } from '../route.ts';
import { serveCompressed, serveHtml } from './text.ts';

export interface ConsoleAndDocs {
  consoleHtml: Handler;
  docsHtml: Handler;
  /** The files that both of them load, by name. */
  assets: Map<string, Handler>;
}

const keptForever = { 'Cache-Control': 'public, max-age=31536000, immutable' };

export async function createConsoleAndDocs(document: unknown): Promise<ConsoleAndDocs> {
  const bundled = await bundleAssets();
  const addresses: Record<string, string> = {};
  const assets = new Map<string, Handler>();
  for (const { name, uniqueName, contentType, body } of bundled) {
    addresses[name] = `assets/${uniqueName}`;
    assets.set(uniqueName, serveCompressed(contentType, body, keptForever));
    // Callers revalidate a file under its plain name on every use.
    assets.set(name, serveCompressed(contentType, body));
  }
  return {
    consoleHtml: serveHtml(renderConsole(addresses)),
    docsHtml: serveHtml(renderDocs(document, statusOfCode, addresses)),
    assets,
  };
}
