import { PetstoreError } from '../../domain/error.ts';
import type { Call, Handler } from '../endpoint.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { jsonMediaType, type PlainResponse } from '../response.ts';
import type { ConsoleAndDocs } from './console-and-docs.ts';
import { contractYaml, experimentalContract, type Addresses } from './contract.ts';
import { serveText } from './text.ts';

type Documents = Record<
  | 'home'
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
  /** True if the experimental operations are off. */
  isStableOnly?: boolean;
}

/** The console, the docs and the contract. All of it is made on the first request for it. */
export function createDocuments(options: DocumentOptions = {}): Documents {
  const { isStableOnly = false } = options;
  const stableYaml = contractYaml(options);
  const contract = once(() => (isStableOnly ? Bun.YAML.parse(stableYaml) : experimentalContract(stableYaml)));
  const yaml = lazily(() => serveText('application/yaml', isStableOnly ? stableYaml : toYaml(contract())));
  const json = lazily(() => serveText(jsonMediaType, toJson(contract())));
  let loaded: Promise<ConsoleAndDocs> | undefined;

  const load = (): Promise<ConsoleAndDocs> => {
    loaded ??= import('./console-and-docs.ts')
      .then(({ createConsoleAndDocs }) => createConsoleAndDocs(contract()))
      .catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
    return loaded;
  };

  return {
    /** The console sells, so there is none without the experimental operations. */
    home: isStableOnly ? () => redirect(307, 'docs') : async (call) => (await load()).consoleHtml(call),
    docsHtml: async (call) => (await load()).docsHtml(call),
    /** From `/docs/`, where the relative addresses of the docs would be wrong. */
    docsRedirect: () => redirect(308, '../docs'),
    /** The scripts and style sheets of both. */
    async asset(call) {
      const found = (await load()).assets.get(call.parameter ?? '');
      if (!found) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      return found(call);
    },
    openapiYaml: yaml,
    openapiJson: json,
    experimentalYaml: yaml,
    experimentalJson: json,
  };
}

function redirect(status: number, location: string): PlainResponse {
  return { status, headers: { Location: location, 'Cache-Control': 'private, no-cache' }, body: null };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function lazily(make: () => Handler): Handler {
  const handler = once(make);
  return (call: Call): MaybePromise<PlainResponse> => handler()(call);
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2);
}

/** Parts that are used twice are written twice: anchors only suit a file that people write. */
function toYaml(document: unknown): string {
  return Bun.YAML.stringify(JSON.parse(JSON.stringify(document)), null, 2);
}
