import { afterAll, describe, expect, it } from 'bun:test';
import { errorOf, post } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** The messages about a body. The rest are checks of `petstore-conform`. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  call('/v1/pets', { ...post(''), body });

describe('a body', () => {
  it('is invalid_json with a message that says where', async () => {
    const messageOf = async (body: string | Uint8Array<ArrayBuffer>) => (await errorOf(create(body))).message;
    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId": 1,\n}')).toBe(
      'The body is not valid JSON. Line 4, column 1: property name expected.',
    );
    expect(await messageOf(Uint8Array.of(0x22, 0x0a, 0xff, 0x22))).toBe('The body is not valid UTF-8.');
    // A body may hold a secret, and a message may reach a log or a screen.
    expect(await messageOf('{"a":s3cret\u001b[31m}')).toBe(
      'The body is not valid JSON. Line 1, column 6: invalid symbol.',
    );
  });
});
