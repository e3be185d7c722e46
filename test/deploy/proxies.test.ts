import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../src/domain/error.ts';
import { errorResponse } from '../../src/http/response.ts';
import { readDeployFile } from './files.ts';

/** `npm run torture -- behind-proxies` runs the first two, and `npm run check:caddy` the third. */
const proxies = [
  {
    file: 'haproxy/haproxy.cfg',
    errors: 3,
    headerOf: (name: string, value: string) => `hdr ${name} ${value}`,
  },
  {
    file: 'nginx/petstore.conf',
    errors: 1,
    headerOf: (name: string, value: string) => `add_header ${name} ${value} always;`,
  },
  {
    file: 'caddy/Caddyfile',
    errors: 1,
    headerOf: (name: string, value: string) => `header ${name} ${value}`,
  },
];

describe.each(proxies)('the errors in $file', ({ file, errors, headerOf }) => {
  const text = readDeployFile(file);
  const bodies = [...text.matchAll(/['`](\{.+\})['`]/g)].map(([, body = '']) => body);

  it('have the body and the headers of the service', () => {
    expect(bodies).toHaveLength(errors);
    for (const body of bodies) {
      const { message } = JSON.parse(body) as { message: string };
      const expected = errorResponse(new PetstoreError('unavailable', message));
      expect(body).toBe(expected.body as string);
      for (const [name, value] of Object.entries(expected.headers ?? {}))
        expect(text.split(headerOf(name, value))).toHaveLength(errors + 1);
    }
  });
});
