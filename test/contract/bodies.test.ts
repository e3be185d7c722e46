import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { checkRawResponse, listen, type Listening } from '../support/http/socket.ts';

/** `docs/decisions.md`, "Requests": the body, its fields, int64 and name. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (body: unknown, headers?: Record<string, string>) => call('/v1/pets', post(body, headers));
const createdFrom = async (json: string): Promise<string> => {
  const response = await create(json);
  const text = await response.text();
  expect(response.status).toBe(201);
  return text;
};

describe('a body', () => {
  const accepted = [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'Application/JSON ; Charset=utf-8',
  ];
  for (const mediaType of accepted) {
    it(`may be sent as ${mediaType}`, async () => {
      expect(await outcomeOf(create(rex, { 'Content-Type': mediaType }))).toBe('201');
    });
  }

  const refused = [
    'text/plain',
    'text/json',
    'application/xml',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'json',
  ];
  for (const mediaType of refused) {
    it(`is 415 as ${mediaType}`, async () => {
      expect(await outcomeOf(create(rex, { 'Content-Type': mediaType }))).toBe('415 unsupported_media_type');
    });
  }

  it('is 415 without a media type', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(rex));
    const response = call('/v1/pets', { method: 'POST', body: bytes });
    expect(await outcomeOf(response)).toBe('415 unsupported_media_type');
  });

  const notJson = [
    '',
    ' ',
    '{',
    '{"name":"Rex","categoryId":1',
    '{name:"Rex"}',
    "{'name':'Rex'}",
    '[1,]',
    'NaN',
  ];
  for (const body of [
    ...notJson,
    'undefined',
    '{"name":"a\nb","categoryId":1}',
    '{"categoryId":01}',
    '{}{}',
  ]) {
    it(`is invalid_json if it is ${JSON.stringify(body)}`, async () => {
      expect(await outcomeOf(create(body))).toBe('400 invalid_json');
    });
  }

  const invalidUtf8: [string, number[]][] = [
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a truncated emoji', [0xf0, 0x9f, 0x90]],
    ['a code point past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe4]],
  ];
  for (const [name, bytes] of invalidUtf8) {
    it(`is invalid_json with ${name}`, async () => {
      const [before = '', after = ''] = JSON.stringify({ ...rex, name: '|' }).split('|');
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
      expect(await outcomeOf(call('/v1/pets', init))).toBe('400 invalid_json');
    });
  }

  it('is invalid_json with a message that says where', async () => {
    const messageOf = async (body: string | Uint8Array<ArrayBuffer>) =>
      (await errorOf(call('/v1/pets', { ...post(''), body }))).message;
    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId": 1,\n}')).toBe(
      'The body is not valid JSON. Line 4, column 1: expected a field name in double quotes, found "}".',
    );
    expect(await messageOf(Uint8Array.of(0x22, 0x0a, 0xff, 0x22))).toBe(
      'The body is not valid UTF-8: the byte 0xff at offset 2 does not belong there.',
    );
    // A body may hold a secret, and a message may reach a log or a screen.
    expect(await messageOf(`{"a":${'s3cret'.repeat(100)}}`)).toContain('found "s3crets3cret…".');
    expect(await messageOf('{"a":\u001b[31m}')).toContain('found U+001B.');
  });

  it('is invalid_json with a byte order mark or in UTF-16', async () => {
    const utf16 = Buffer.from(JSON.stringify(rex), 'utf16le');
    for (const body of [Buffer.from(`\ufeff${JSON.stringify(rex)}`), utf16]) {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
      expect(await outcomeOf(call('/v1/pets', init))).toBe('400 invalid_json');
    }
  });
});

describe('the limit of 64 KiB', () => {
  const limit = 64 * 1024;
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify({ ...rex, name: '' });
    return JSON.stringify({ ...rex, name: 'x'.repeat(bytes - empty.length) });
  };
  let server: Listening;
  beforeAll(() => {
    server = listen(service.app);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = async (framing: string, body: string): Promise<string> => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Type: application/json\r\n`;
    const response = await server.exchange(`${head}${framing}\r\n\r\n${body}`);
    await checkRawResponse('POST', '/v1/pets', response);
    if (response.status === 201) return '201';
    return `${response.status} ${(JSON.parse(response.body) as { code: string }).code}`;
  };
  const withLength = (bytes: number) => send(`Content-Length: ${bytes}`, bodyOf(bytes));
  const chunked = (bytes: number, size: number) => {
    const chunks = bodyOf(bytes).match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    return send('Transfer-Encoding: chunked', `${framed}0\r\n\r\n`);
  };

  it('allows exactly 64 KiB', async () => {
    expect(await outcomeOf(create(bodyOf(limit)))).toBe('201');
    expect(await withLength(limit)).toBe('201');
  });

  it('refuses one byte more with 413', async () => {
    expect(await outcomeOf(create(bodyOf(limit + 1)))).toBe('413 payload_too_large');
    expect(await withLength(limit + 1)).toBe('413 payload_too_large');
  });

  it('holds for a body in chunks without a length', async () => {
    for (const size of [1000, limit, 2 * limit]) {
      expect(await chunked(limit, size)).toBe('201');
      expect(await chunked(limit + 1, size)).toBe('413 payload_too_large');
    }
  });

  it('counts bytes, not characters', async () => {
    const body = JSON.stringify({ ...rex, name: '🐈'.repeat(limit / 4) });
    expect(body.length).toBeLessThan(limit);
    expect(await outcomeOf(create(body))).toBe('413 payload_too_large');
  });

  it('refuses a declared length without waiting for the body', async () => {
    expect(await send('Content-Length: 9007199254740991', '{')).toBe('413 payload_too_large');
  });
});

describe('the fields of a body', () => {
  it('are all reported in one message that names each wrong field', async () => {
    const { code, message } = await errorOf(create({ name: 7, categoryId: '1', status: 'adopted' }));
    expect(code).toBe('invalid_pet');
    for (const field of ['name', 'categoryId', 'status']) expect(message).toContain(`${field} must be`);
    const missing = await errorOf(create({ status: null }));
    for (const part of ['name is required', 'categoryId is required', 'status must be']) {
      expect(missing.message).toContain(part);
    }
  });

  it('are not named if they are right', async () => {
    expect((await errorOf(create({ ...rex, status: 'x' }))).message).not.toMatch(/name|categoryId/);
    expect((await errorOf(create({ name: 'Rex' }))).message).not.toMatch(/\bname\b|status/);
    expect((await errorOf(create({ categoryId: 1 }))).message).not.toMatch(/categoryId|status/);
  });

  it('must be those of an object', async () => {
    for (const body of ['null', '7', '"Rex"', 'true', '[]', '[{"name":"Rex","categoryId":1}]']) {
      expect(await outcomeOf(create(body))).toBe('400 invalid_pet');
    }
  });

  it('may include unknown ones, which are ignored', async () => {
    const text = await createdFrom(
      '{"name":"Rex","categoryId":1,"color":"red","tags":[{"a":null}],"Status":7}',
    );
    expect(JSON.parse(text)).toEqual({ id: expect.any(Number), ...rex });
  });

  it('may bear names that every object inherits', async () => {
    for (const field of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const text = await createdFrom(`{"name":"Rex","categoryId":1,"${field}":{"status":"sold"}}`);
      expect(JSON.parse(text)).toEqual({ id: expect.any(Number), ...rex });
    }
    expect(await outcomeOf(create('{"__proto__":{"name":"Rex","categoryId":1}}'))).toBe('400 invalid_pet');
  });

  it('may include id, which the service assigns all the same', async () => {
    const before = BigInt(await addPet(call));
    for (const id of ['1', '"x"', 'null', '-5', '9223372036854775807', '1e400', '{}']) {
      const text = await createdFrom(`{"id":${id},"name":"Rex","categoryId":1}`);
      expect(BigInt(/"id":(\d+)/.exec(text)?.[1] ?? 0)).toBeGreaterThan(before);
    }
  });

  for (const field of ['name', 'categoryId', 'status']) {
    it(`must not be null: ${field}`, async () => {
      const { code, message } = await errorOf(create({ ...rex, [field]: null }));
      expect(code).toBe('invalid_pet');
      expect(message).toStartWith(`${field} must be`);
    });
  }
});

describe('categoryId', () => {
  const exact: [string, string][] = [
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['3.0', '3'],
    ['1e2', '100'],
    ['-0', '0'],
    ['120E-1', '12'],
    ['9.223372036854775807e18', '9223372036854775807'],
  ];
  for (const [sent, kept] of exact) {
    it(`accepts ${sent} as the integer ${kept}`, async () => {
      expect(await createdFrom(`{"name":"Rex","categoryId":${sent}}`)).toContain(`"categoryId":${kept}}`);
    });
  }

  const refused = ['9223372036854775808', '-9223372036854775809', '0.5', '1e-1', '1e19', '1e400', '-1e99999'];
  for (const sent of [...refused, '"1"', '"9007199254740993"', '""', 'true']) {
    it(`refuses ${sent}, which is no int64`, async () => {
      expect(await outcomeOf(create(`{"name":"Rex","categoryId":${sent}}`))).toBe('400 invalid_pet');
    });
  }
});

describe('name', () => {
  const kept: [string, string][] = [
    ['the empty string', ''],
    ['spaces at both ends', '  Rex  '],
    ['emoji', '🐈‍⬛👨‍👩‍👧'],
    ['both forms of é', 'e\u0301 \u00e9'],
    ['right-to-left text and marks', '\u202eexe.gpj\u202c كلب'],
    ['control characters', '\u0001\t\n\r\u001f\u007f\u0085'],
    ['quotes, backslashes and line separators', '"\\/\b\f\u2028\u2029</script>'],
    ['a byte order mark and noncharacters', '\ufeff\ufffe\uffff\u{10ffff}'],
    ['SQL', "Robert'); DROP TABLE pets;--"],
    ['digits', '9007199254740993'],
    ['the replacement character', '\ufffd'],
    ['something long', 'ä'.repeat(20_000)],
  ];
  for (const [title, name] of kept) {
    it(`keeps ${title} untouched`, async () => {
      const response = await create({ ...rex, name });
      expect(response.status).toBe(201);
      expect(((await response.json()) as { name: string }).name).toBe(name);
      const fetched = await call(response.headers.get('Location') ?? '');
      expect(((await fetched.json()) as { name: string }).name).toBe(name);
    });
  }

  const refused = [
    '\\u0000',
    'a\\u0000b',
    '\\ud800',
    '\\udc00',
    'a\\udfffb',
    '\\udc00\\ud800',
    '\\ud83d\\ud83d',
  ];
  for (const escapes of refused) {
    it(`refuses ${escapes}`, async () => {
      const response = await create(`{"name":"${escapes}","categoryId":1}`);
      expect(response.status).toBe(400);
      const { code, message } = await errorOf(response);
      expect(code).toBe('invalid_pet');
      expect(message).toStartWith('name must be');
    });
  }

  it('accepts a surrogate pair that is written in escapes', async () => {
    expect(await createdFrom('{"name":"\\ud83d\\udc08","categoryId":1}')).toContain('"name":"🐈"');
  });
});
