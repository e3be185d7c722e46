import openapiSource from '../../../openapi.yaml' with { type: 'text' };
import { PetstoreError } from '../../error.ts';
import { cacheable } from '../conditional.ts';
import type { Handler } from '../endpoint.ts';
import type { PlainResponse } from '../response.ts';
import type { Pages } from './pages.ts';

export interface Docs {
  homePage: Handler;
  docsPage: Handler;
  /** The scripts and style sheets of the two pages. */
  asset: Handler;
  openapiYaml: Handler;
  openapiJson: Handler;
}

/** The contract in both notations, and the two pages for people: one to keep shop with, one to learn the interface. */
export function createDocs(): Docs {
  const yaml = openapiSource as unknown as string;
  const yamlDocument = cacheable(yaml, { 'Content-Type': 'application/yaml' });
  let jsonDocument: PlainResponse | undefined;
  let pages: Promise<Pages> | undefined;

  // Loaded and made on the first request for them: neither is needed to start, nor by most callers at all.
  const loadPages = async (): Promise<Pages> => {
    const { createPages } = await import('./pages.ts');
    pages ??= createPages(yaml).catch((error: unknown) => {
      pages = undefined;
      throw error;
    });
    return pages;
  };

  return {
    homePage: async ({ request }) => (await loadPages()).home.for(request),
    docsPage: async ({ request }) => (await loadPages()).docs.for(request),
    async asset({ request, parameter: name = '' }) {
      const found = (await loadPages()).assets.get(name);
      if (!found) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      return found.for(request);
    },
    openapiYaml: () => yamlDocument,
    openapiJson: () => (jsonDocument ??= cacheable(JSON.stringify(Bun.YAML.parse(yaml), null, 2))),
  };
}
