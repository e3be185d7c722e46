import openapiSource from '../../../openapi.yaml' with { type: 'text' };
import { PetstoreError } from '../../error.ts';
import type { Handler } from '../endpoint.ts';
import { jsonMediaType } from '../response.ts';
import type { ConsoleAndDocs } from './console-and-docs.ts';
import { serveText } from './text.ts';

type Documents = Record<
  'consoleHtml' | 'docsHtml' | 'docsRedirect' | 'asset' | 'openapiYaml' | 'openapiJson',
  Handler
>;

/** The console, the docs and the contract. All but `openapi.yaml` is made on the first request for it. */
export function createDocuments(): Documents {
  const yaml = openapiSource as unknown as string;
  let openapiJson: Handler | undefined;
  let loaded: Promise<ConsoleAndDocs> | undefined;

  const load = (): Promise<ConsoleAndDocs> => {
    loaded ??= import('./console-and-docs.ts')
      .then(({ createConsoleAndDocs }) => createConsoleAndDocs(yaml))
      .catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
    return loaded;
  };

  return {
    consoleHtml: async (call) => (await load()).consoleHtml(call),
    docsHtml: async (call) => (await load()).docsHtml(call),
    /** From `/docs/`, where the relative addresses of the docs would be wrong. */
    docsRedirect: () => ({
      status: 308,
      headers: { Location: '../docs', 'Cache-Control': 'private, no-cache' },
      body: null,
    }),
    /** The scripts and style sheets of both. */
    async asset(call) {
      const found = (await load()).assets.get(call.parameter ?? '');
      if (!found) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      return found(call);
    },
    openapiYaml: serveText('application/yaml', yaml),
    openapiJson(call) {
      openapiJson ??= serveText(jsonMediaType, JSON.stringify(Bun.YAML.parse(yaml), null, 2));
      return openapiJson(call);
    },
  };
}
