import { hashKey } from '../../src/domain/api-key.ts';
import { pathOf } from '../../src/http/route.ts';
import type { CapturedResponse } from './data.ts';

/**
 * The limit of a hot list: the least that any server of this API does. It reads the address and three headers, checks
 * the key, adds a request id, and sends the bytes and headers that the service sent once.
 */
const { GET } = (await Bun.file(process.env['RESPONSES']!).json()) as Record<string, CapturedResponse>;
const { body, headers } = GET!;
const ok = { headers: new Headers(headers) };
const notModified = { status: 304, headers: new Headers(headers) };
notModified.headers.delete('Content-Type');
const acceptedHash = hashKey(process.env['API_KEY']!);
/** By header value, so that a request need not hash its key again. */
const knownHashes = new Map<string, string>();

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  development: false,
  fetch({ url, headers: received }) {
    const requestId = received.get('X-Request-Id') ?? crypto.randomUUID();
    const credential = received.get('Authorization') ?? '';
    const hash = knownHashes.get(credential) ?? hashKey(credential.replace('Bearer ', ''));
    if (hash !== acceptedHash) return new Response(null, { status: 401 });
    knownHashes.set(credential, hash);
    if (pathOf(url) !== '/v1/pets') return new Response(null, { status: 404 });
    const isCurrent = received.get('If-None-Match') === headers['etag'];
    const response = isCurrent ? new Response(null, notModified) : new Response(body, ok);
    response.headers.set('X-Request-Id', requestId);
    return response;
  },
});
