import { PetstoreError } from '../../domain/error.ts';
import type { Handler } from '../route.ts';
import { jsonMediaType, type Representation } from '../response.ts';
import type { ConsoleAndDocs } from './console-and-docs.ts';
import { contractOf, toOpenapi30, workflowsOf, type ContractOptions } from './contract.ts';
import { serveText } from './text.ts';

/** The console, the docs and the contract. Each is created on its first request. */
export function createDocuments(options: ContractOptions) {
  const contract = () => contractOf(options);
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
    /** The console needs the unstable operations, so `--stable-only` leaves it out. */
    home: options.stableOnly ? () => redirect(307, 'docs') : async (call) => (await load()).consoleHtml(call),
    docsHtml: async (call) => (await load()).docsHtml(call),
    /** Redirects `/docs/`, where the relative links of the docs would be wrong. */
    docsRedirect: () => redirect(308, '../docs'),
    /** The scripts and style sheets of console and docs. */
    asset: async (call) => {
      const handler = (await load()).assets.get(call.parameter ?? '');
      if (!handler) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      return handler(call);
    },
    openapiYaml: lazily(() => serveText('application/yaml', toYaml(contract()))),
    openapiJson: lazily(() => serveJson(contract())),
    openapi30Json: lazily(() => serveJson(toOpenapi30(contract()))),
    arazzoYaml: lazily(() => serveText('application/yaml', toYaml(workflowsOf(contract())))),
  } satisfies Record<string, Handler>;
}

function redirect(status: number, location: string): Representation {
  return { status, headers: { Location: location, 'Cache-Control': 'private, no-cache' }, body: null };
}

function lazily(make: () => Handler): Handler {
  let handler: Handler | undefined;
  return (call) => (handler ??= make())(call);
}

/** Bun writes dates without quotes, so YAML 1.1 parsers would not read them as text. */
function toYaml(document: unknown): string {
  return Bun.YAML.stringify(document, null, 2).replaceAll(/(: |- )(\d{4}-\d\d-\d\d\S*)$/gm, '$1"$2"');
}

function serveJson(document: unknown): Handler {
  return serveText(jsonMediaType, JSON.stringify(document, null, 2));
}
