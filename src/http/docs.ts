import openapiSource from '../../openapi.yaml' with { type: 'text' };
import { PetstoreError } from '../error.ts';
import type { Answer } from './answer.ts';
import { bundlePages } from './bundle.ts';
import { renderDocs, type OpenapiDocument } from './docs-page.ts';
import type { Handler } from './endpoint.ts';
import { renderHome } from './home-page.ts';
import { createAssetAnswer, createHtmlAnswer, type PageAnswer } from './page-answer.ts';

export interface Docs {
  homePage: Handler;
  docsPage: Handler;
  /** The scripts and style sheets of the two pages. */
  asset: Handler;
  openapiYaml: Handler;
  openapiJson: Handler;
}

interface Pages {
  home: PageAnswer;
  docs: PageAnswer;
  assets: Map<string, PageAnswer>;
}

/** The contract in both notations, and the two pages for people: one to keep shop with, one to learn the interface. */
export function createDocs(): Docs {
  const yaml = openapiSource as unknown as string;
  const yamlAnswer = document('application/yaml', yaml);
  let jsonAnswer: Answer | undefined;
  let pages: Promise<Pages> | undefined;

  // Made on the first request for them: neither is needed to start, nor by most callers at all.
  const loadPages = (): Promise<Pages> =>
    (pages ??= createPages(yaml).catch((error: unknown) => {
      pages = undefined;
      throw error;
    }));

  return {
    homePage: async ({ request }) => (await loadPages()).home.for(request),
    docsPage: async ({ request }) => (await loadPages()).docs.for(request),
    async asset({ request }) {
      const name = new URL(request.url).pathname.slice('/assets/'.length);
      const found = (await loadPages()).assets.get(name);
      if (!found) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      return found.for(request);
    },
    openapiYaml: () => yamlAnswer,
    openapiJson: () =>
      (jsonAnswer ??= document('application/json', JSON.stringify(Bun.YAML.parse(yaml), null, 2))),
  };
}

async function createPages(yaml: string): Promise<Pages> {
  const { addresses, assets } = await bundlePages();
  const contract = Bun.YAML.parse(yaml) as OpenapiDocument;
  return {
    home: createHtmlAnswer(renderHome(addresses)),
    docs: createHtmlAnswer(renderDocs(contract, addresses)),
    assets: new Map(Object.entries(assets).map(([name, asset]) => [name, createAssetAnswer(asset)])),
  };
}

function document(contentType: string, body: string): Answer {
  return { status: 200, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache' }, body };
}
