import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** `docs/decisions.md`, "Requests": the order of checks. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('a request with two mistakes', () => {
  const tooLarge = ' '.repeat(64 * 1024 + 1);
  const text = { 'Content-Type': 'text/plain' };
  const anonymous = (path: string, init?: RequestInit) => service.callAs(null, path, init);
  const steps: [string, string, () => Promise<Response>][] = [
    ['authentication before path', '401 unauthorized', () => anonymous('/v1/unknown')],
    ['authentication before method', '401 unauthorized', () => anonymous('/v1/pets', { method: 'DELETE' })],
    ['authentication before parameters', '401 unauthorized', () => anonymous('/v1/pets?limit=0')],
    ['authentication before petId', '401 unauthorized', () => anonymous('/v1/pets/abc')],
    ['authentication before media type', '401 unauthorized', () => anonymous('/v1/pets', post('x', text))],
    ['authentication before size', '401 unauthorized', () => anonymous('/v1/pets', post(tooLarge))],
    ['authentication before JSON', '401 unauthorized', () => anonymous('/v1/pets', post('{'))],
    ['authentication before fields', '401 unauthorized', () => anonymous('/v1/pets', post({}))],
    ['path before method', '404 not_found', () => call('/v1/unknown', { method: 'DELETE' })],
    ['path before media type', '404 not_found', () => call('/v1/unknown', post('x', text))],
    ['path before size', '404 not_found', () => call('/v1/unknown', post(tooLarge))],
    [
      'method before media type',
      '405 method_not_allowed',
      () => call('/v1/pets', { ...post('x', text), method: 'PUT' }),
    ],
    ['method before size', '405 method_not_allowed', () => call('/v1/pets/1', post(tooLarge))],
    ['method before petId', '405 method_not_allowed', () => call('/v1/pets/abc', { method: 'DELETE' })],
    ['media type before size', '415 unsupported_media_type', () => call('/v1/pets', post(tooLarge, text))],
    ['media type before JSON', '415 unsupported_media_type', () => call('/v1/pets', post('{', text))],
    ['media type before fields', '415 unsupported_media_type', () => call('/v1/pets', post({}, text))],
    ['size before JSON', '413 payload_too_large', () => call('/v1/pets', post(`{${tooLarge}`))],
    ['size before fields', '413 payload_too_large', () => call('/v1/pets', post(`{${tooLarge}}`))],
    ['JSON before fields', '400 invalid_json', () => call('/v1/pets', post('{"name":7,}'))],
  ];
  for (const [name, outcome, ask] of steps) {
    it(`is told ${outcome}, ${name}`, async () => {
      expect(await outcomeOf(ask())).toBe(outcome);
    });
  }

  it('learns nothing but 401 without a valid key', async () => {
    const id = await addPet(call);
    const asked: [string, RequestInit?][] = [
      ['/v1'],
      ['/v1/pets'],
      [`/v1/pets/${id}`],
      ['/v1/pets/0'],
      ['/v1/unknown'],
      ['/v1/pets', { method: 'HEAD' }],
      ['/v1/pets', { method: 'DELETE' }],
      ['/v1/unknown', { method: 'OPTIONS' }],
      ['/v1/pets', post(rex)],
      ['/v1/pets', post('{')],
    ];
    for (const credential of [null, 'Bearer wrong']) {
      const responses = asked.map(async ([path, init]) => {
        const response = await service.callAs(credential, path, init);
        return `${response.status} ${response.headers.get('Allow')} ${response.headers.get('ETag')}`;
      });
      expect(new Set(await Promise.all(responses))).toEqual(new Set(['401 null null']));
    }
  });
});
