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
  /** Empty for what needs no key. */
  security?: unknown[];
}

const stable = ['listPets', 'createPet', 'getPet'];

interface OpenApi {
  info?: { version?: string };
  paths?: Record<string, Record<string, OperationObject>>;
}

/** `/openapi.json` describes the API of the contract. */
export const documentChecks = checksOf('strict', 'document', [
  [
    'version',
    'The document describes version 1.0.0, with /v1 in every path.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      expectThat(openApi.info?.version === '1.0.0', exchange, 'version 1.0.0', `${openApi.info?.version}`);
      const paths = Object.keys(openApi.paths ?? {});
      const hasAll = ['/v1/pets', '/v1/pets/{petId}'].every((path) => paths.includes(path));
      expectThat(hasAll, exchange, '/v1/pets and /v1/pets/{petId}', paths.join(', '));
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
    'experiments-marked',
    'Behind the key, the document has the three stable operations, and marks any other as experimental.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      const operations = operationsOf(openApi).filter(({ security }) => security?.length !== 0);
      const unmarked = operations.filter((operation) => operation['x-stability'] !== 'experimental');
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
