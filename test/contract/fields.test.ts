import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** `docs/decisions.md`, "Requests": the fields of a body, int64 and name. */

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
