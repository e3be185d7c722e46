import { checksOf } from '../check.ts';
import { expectValues, findById, reasons } from '../expectations.ts';
import { expectStatus, expectThat } from '../mismatch.ts';
import { creating, getPet, listPets, named, readPet, readPets, renderPet } from '../pets.ts';
import { limits, removalDay } from '../rules.ts';
import { sampleWith } from '../samples.ts';

/**
 * The deprecation of getPet. The contract names the operation, its removal date and its replacement, but no header:
 * each implementation chooses how a response announces them.
 */
export const deprecationChecks = checksOf('contract', 'deprecation', [
  [
    'still-served',
    'GET /pets/{petId} is deprecated and still works.',
    async (api) => expectStatus(await getPet(api, (await sampleWith(api, 'available')).created.id), 200),
  ],
  [
    'replacement',
    'The replacement, GET /pets with the status filter, shows the same pet as GET /pets/{petId}.',
    async (api) => {
      const { sent, created } = await sampleWith(api, 'pending');
      const exchange = await listPets(api, '?status=pending&limit=100');
      const pets = readPets(exchange);
      const listed = findById(pets, created);
      if (listed === undefined && pets.length >= limits.largest) return;
      expectThat(listed !== undefined, exchange, `the pet ${created.id}`, undefined, reasons.missing);
      expectValues(exchange, listed, sent);
      const one = await getPet(api, created.id);
      expectValues(one, readPet(one), sent);
    },
  ],
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
      const create = creating(renderPet(named(api, 'not deprecated')));
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
