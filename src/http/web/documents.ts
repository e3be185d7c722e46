import { PetstoreError } from '../../domain/error.ts';
import type { Call, Handler } from '../endpoint.ts';
import { jsonMediaType, type PlainResponse } from '../response.ts';
import type { ConsoleAndDocs } from './console-and-docs.ts';
import { contractYaml, experimentalContract, type Addresses } from './contract.ts';
import { serveText } from './text.ts';

type Documents = Record<
  | 'consoleHtml'
  | 'docsHtml'
  | 'docsRedirect'
  | 'asset'
  | 'openapiYaml'
  | 'openapiJson'
  | 'experimentalYaml'
  | 'experimentalJson',
  Handler
>;

interface DocumentOptions extends Addresses {
  /** True if the experimental operations are on: the docs and the console then know them. */
  isExperimental?: boolean;
}

/** The console, the docs and the contract. All but `openapi.yaml` is made on the first request for it. */
export function createDocuments(options: DocumentOptions = {}): Documents {
  const { isExperimental = false } = options;
  const yaml = contractYaml(options);
  const contract = once(() => Bun.YAML.parse(yaml));
  const largerContract = once(() => experimentalContract(yaml));
  let loaded: Promise<ConsoleAndDocs> | undefined;

  const load = (): Promise<ConsoleAndDocs> => {
    loaded ??= import('./console-and-docs.ts')
      .then(({ createConsoleAndDocs }) =>
        createConsoleAndDocs(isExperimental ? largerContract() : contract(), isExperimental),
      )
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
    openapiJson: lazily(() => serveText(jsonMediaType, toJson(contract()))),
    experimentalYaml: lazily(() => serveText('application/yaml', toYaml(largerContract()))),
    experimentalJson: lazily(() => serveText(jsonMediaType, toJson(largerContract()))),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function lazily(make: () => Handler): Handler {
  const handler = once(make);
  return (call: Call): PlainResponse | Promise<PlainResponse> => handler()(call);
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2);
}

/** Parts that are used twice are written twice: anchors only suit a file that people write. */
function toYaml(document: unknown): string {
  return Bun.YAML.stringify(JSON.parse(JSON.stringify(document)), null, 2);
}
