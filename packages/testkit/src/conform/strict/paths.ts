import { checksOf } from '../check.ts';
import { expectOutcomes } from '../errors.ts';
import { newPet, post, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

/** Which paths exist. `order/nothing-without-key` says which need a key. */
export const pathChecks = checksOf('strict', 'paths', [
  [
    'unknown',
    'With a key, an unknown path is 404.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const paths = [`/pets/${id}/status`, `/pets/${id}/sell`, '/event', '/category', ''];
      await expectOutcomes(
        api,
        paths.map((path) => ({ path })),
        '404 not_found',
      );
    },
  ],
  [
    'trailing-slash',
    'A path with a trailing slash is another path: 404.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const create = { ...post(renderPet(newPet(api, 'to a slash'))), path: '/pets/' };
      const requests = ['/pets/', `/pets/${id}/`, '/'].map((path) => ({ path }));
      await expectOutcomes(api, [...requests, create], '404 not_found');
    },
  ],
  [
    'version',
    'The version is part of every path: 404 without it or with another.',
    async (api) => {
      const requests = ['/pets', '/v2/pets', '/V1/pets'].map((path) => ({ path, isOutsideBase: true }));
      await expectOutcomes(api, requests, '404 not_found');
    },
  ],
]);
