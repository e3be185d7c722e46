import { exampleAddress } from '../code.ts';

/** The service that these docs came from, below any path of a proxy. */
export const thisHost = new URL('.', location.href).href.replace(/\/$/, '');

/**
 * Returns the address in the samples: the one that the operator has configured, which is in them already, or this host,
 * which only the browser knows.
 */
export function showAddress(): string {
  const main = document.querySelector('main');
  const configured = main?.dataset['address'] ?? '';
  if (!main || configured !== '') return configured;
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    node.data = node.data.replaceAll(exampleAddress, thisHost);
  }
  return thisHost;
}
