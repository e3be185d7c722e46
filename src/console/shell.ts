import { htmlPage } from './html.ts';

/** The shell of the page; its script fills it. */
export function renderHome(addresses: Record<string, string>): string {
  return htmlPage({
    title: 'Petstore',
    description: 'The pets of the store.',
    script: addresses['page.js'] ?? '',
    styleSheet: addresses['page.css'] ?? '',
    icon: addresses['icon.svg'] ?? '',
    body: '<div id="app"></div>\n<noscript>This page needs JavaScript. The <a href="docs">API reference</a> does not.</noscript>',
  });
}
