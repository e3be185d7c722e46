import type { ApiRequest } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome } from '../errors.ts';
import { expectHeader } from '../mismatch.ts';
import { sampleWith } from '../samples.ts';

const announcement = {
  Deprecation: '@1794614400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};

/** How getPet announces its removal: RFC 9745, RFC 8594 and RFC 8288. */
export const announcementChecks = checksOf('strict', 'deprecation', [
  [
    'announced',
    'Every response of getPet, errors included, has Deprecation, Sunset and two links.',
    async (api) => {
      const pet = `/pets/${(await sampleWith(api)).created.id}`;
      const responses: [status: string, request: ApiRequest][] = [
        ['200', { path: pet }],
        ['304', { path: pet, headers: { 'If-None-Match': '*' } }],
        ['404', { path: '/pets/0' }],
        ['404', { path: '/pets/abc' }],
        ['405', { path: pet, method: 'PUT' }],
        ['204', { path: pet, method: 'OPTIONS' }],
        ['200', { path: pet, method: 'HEAD' }],
        ['404', { path: '/pets/0', method: 'HEAD' }],
        ['401', { path: pet, authorization: null }],
        ['401', { path: pet, authorization: 'Bearer conform-wrong-key' }],
      ];
      for (const [status, request] of responses) {
        const exchange = await expectOutcome(api, request, status);
        for (const [name, value] of Object.entries(announcement)) expectHeader(exchange, name, value);
      }
    },
  ],
]);
