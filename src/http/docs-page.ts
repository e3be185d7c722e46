import type { Bundle } from './bundle.ts';
import { htmlPage } from './html.ts';

export interface OpenapiDocument {
  info: { title: string; version: string };
}

export function renderDocs(contract: OpenapiDocument, addresses: Bundle['addresses']): string {
  return htmlPage({
    title: `${contract.info.title} API`,
    description: 'How to call the service.',
    script: addresses['docs.js'] ?? '',
    styleSheet: addresses['docs.css'] ?? '',
    icon: addresses['icon.svg'] ?? '',
    body: '<h1 id="deprecation">Docs</h1>',
  });
}
