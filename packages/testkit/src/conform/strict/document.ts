import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome } from '../errors.ts';
import { expectThat } from '../mismatch.ts';
import { removalDay } from '../rules.ts';

interface OperationObject {
  operationId?: string;
  deprecated?: boolean;
  'x-sunset'?: string;
  'x-stability'?: string;
}

const stable = ['listPets', 'createPet', 'getPet'];

interface OpenApi {
  info?: { version?: string };
  servers?: { url?: string }[];
  paths?: Record<string, Record<string, OperationObject>>;
}

/** `/openapi.json` describes the API of the contract. */
export const documentChecks = checksOf('strict', 'document', [
  [
    'version',
    'The document describes version 1.0.0, with addresses that end in /v1 and paths that are relative to them.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      expectThat(openApi.info?.version === '1.0.0', exchange, 'version 1.0.0', `${openApi.info?.version}`);
      const paths = Object.keys(openApi.paths ?? {});
      const hasAll = ['/pets', '/pets/{petId}'].every((path) => paths.includes(path));
      expectThat(hasAll, exchange, '/pets and /pets/{petId}', paths.join(', '));
      const servers = (openApi.servers ?? []).map(({ url = '' }) => url);
      const areVersioned = servers.length > 0 && servers.every((url) => url.endsWith('/v1'));
      expectThat(areVersioned, exchange, 'servers that end in /v1', servers.join(', '));
    },
  ],
  [
    'deprecation',
    'The document marks getPet as deprecated with its day, and no other operation.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      const marked = operationsOf(openApi).filter(({ deprecated }) => deprecated);
      const seen = marked.map((operation) => `${operation.operationId} ${operation['x-sunset']}`).join(', ');
      expectThat(seen === `getPet ${removalDay}`, exchange, `getPet ${removalDay} alone`, seen);
    },
  ],
  [
    'stability-marked',
    'The document has the three stable operations, and marks any other as experimental or beta.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      const unmarked = operationsOf(openApi).filter(
        (operation) => !['experimental', 'beta'].includes(String(operation['x-stability'])),
      );
      const seen = unmarked.map(({ operationId = '' }) => operationId);
      const isStable = seen.length === stable.length && stable.every((name) => seen.includes(name));
      expectThat(isStable, exchange, stable.join(', '), seen.join(', '));
    },
  ],
]);

function operationsOf({ paths = {} }: OpenApi): OperationObject[] {
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ operationId }) => operationId !== undefined);
}

async function read(api: Api): Promise<{ exchange: Exchange; openApi: OpenApi }> {
  const request = { path: '/openapi.json', isOutsideBase: true, authorization: null };
  const exchange = await expectOutcome(api, request, '200');
  return { exchange, openApi: JSON.parse(exchange.text) as OpenApi };
}
