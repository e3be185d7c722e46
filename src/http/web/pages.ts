import { bundlePages, type Bundle } from './bundle.ts';
import type { OpenapiDocument } from '../../docs/contract.ts';
import { renderDocs } from '../../docs/render.ts';
import { renderHome } from '../../console/shell.ts';
import { createAssetAnswer, createHtmlAnswer, type PageAnswer } from './html-response.ts';

export interface Pages {
  home: PageAnswer;
  docs: PageAnswer;
  /** What the two pages load, by name. */
  assets: Map<string, PageAnswer>;
}

/** The page of the shop and the documentation, with everything that they load. */
export async function createPages(yaml: string): Promise<Pages> {
  const { addresses, assets } = await bundlePages();
  const contract = Bun.YAML.parse(yaml) as OpenapiDocument;
  return {
    home: createHtmlAnswer(renderHome(addresses)),
    docs: createHtmlAnswer(renderDocs(contract, addresses)),
    assets: answersOf({ addresses, assets }),
  };
}

/** Each file under the name that a page links, and under its plain name, where it is asked for anew each time. */
function answersOf({ addresses, assets }: Bundle): Map<string, PageAnswer> {
  const answers = new Map<string, PageAnswer>();
  for (const [plainName, address] of Object.entries(addresses)) {
    const name = address.replace(/^.*\//, '');
    const asset = assets[name];
    if (!asset) continue;
    answers.set(name, createAssetAnswer({ ...asset, isImmutable: true }));
    answers.set(plainName, createAssetAnswer({ ...asset, isImmutable: false }));
  }
  return answers;
}
