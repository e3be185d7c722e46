import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome } from '../errors.ts';
import { expectThat } from '../mismatch.ts';
import { removalDay } from '../rules.ts';

interface OperationObject {
  operationId?: string;
  deprecated?: boolean;
  'x-sunset'?: string;
}

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
      const operations = Object.values(openApi.paths ?? {}).flatMap((methods) => Object.values(methods));
      const marked = operations.filter(({ deprecated }) => deprecated);
      const seen = marked.map((operation) => `${operation.operationId} ${operation['x-sunset']}`).join(', ');
      expectThat(seen === `getPet ${removalDay}`, exchange, `getPet ${removalDay} alone`, seen);
    },
  ],
  [
    'no-experiments',
    'The document has no experimental operation.',
    async (api) => {
      const { exchange, openApi } = await read(api);
      const isStable = !/experimental|beta/i.test(JSON.stringify(openApi.paths));
      expectThat(isStable, exchange, 'no experimental or beta operation', 'one');
    },
  ],
]);

async function read(api: Api): Promise<{ exchange: Exchange; openApi: OpenApi }> {
  const request = { path: '/openapi.json', isOutsideBase: true, authorization: null };
  const exchange = await expectOutcome(api, request, '200');
  return { exchange, openApi: JSON.parse(exchange.text) as OpenApi };
}
