import { checksOf } from '../check.ts';
import { expectThat } from '../mismatch.ts';
import { getPet, listPets, newPet, post, renderPet } from '../pets.ts';
import { removalDay } from '../rules.ts';
import { sampleWith } from '../samples.ts';

/**
 * The deprecation of getPet. The contract names the operation, its removal date and its replacement, but no header:
 * each implementation chooses how a response announces them.
 */
export const deprecationChecks = checksOf('contract', 'deprecation', [
  [
    'removal-day',
    'If GET /pets/{petId} has a Sunset header, that names 5 December 2030.',
    async (api) => {
      const exchange = await getPet(api, (await sampleWith(api)).created.id);
      const sunset = exchange.headers.get('Sunset');
      if (sunset === null) return;
      const time = Date.parse(sunset);
      const day = Number.isNaN(time) ? sunset : new Date(time).toISOString().slice(0, 10);
      expectThat(day === removalDay, exchange, 'a Sunset on 5 December 2030', `Sunset: ${sunset}`);
    },
  ],
  [
    'no-other-operation',
    'GET /pets and POST /pets are not deprecated: no Deprecation or Sunset header.',
    async (api) => {
      const create = post(renderPet(newPet(api, 'not deprecated')));
      for (const exchange of [await listPets(api), await api.send(create)]) {
        for (const name of ['Deprecation', 'Sunset']) {
          expectThat(
            !exchange.headers.has(name),
            exchange,
            `no ${name} header`,
            `${name}: ${exchange.headers.get(name)}`,
          );
        }
      }
    },
  ],
]);
