import { describe, expect, it } from 'bun:test';
import { createClientAddress } from '../../src/http/client-address.ts';
import { createLog } from '../../src/system/log.ts';
import { openConnection } from '../support/http/raw-http.ts';
import { openListeningService } from '../support/http/listening.ts';

const proxies = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'];

function addressOf(peer: string | undefined, forwarded: string | undefined, trusted = proxies) {
  const headers = new Headers(forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded });
  return createClientAddress(() => peer, trusted)(new Request('http://localhost/', { headers }));
}

describe('the address of a client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.7, 203.0.113.9', '203.0.113.9'],
    ['198.51.100.7,203.0.113.9 ,10.1.1.1', '203.0.113.9'],
    ['made up, 203.0.113.9, 10.1.1.1, 192.0.2.1', '203.0.113.9'],
    ['::ffff:203.0.113.9, ::ffff:10.1.1.1', '203.0.113.9'],
    ['2001:DB8::1, 2001:db9::1, 2001:DB8::1', '2001:db9::1'],
  ])('behind trusted proxies is the last one that is not trusted of %p', (forwarded, client) => {
    expect(addressOf('10.0.0.1', forwarded)).toBe(client);
    expect(addressOf('::ffff:192.0.2.1', forwarded)).toBe(client);
    expect(addressOf('2001:db8::5', forwarded)).toBe(client);
  });

  it.each([
    undefined,
    '',
    ' , ',
    '10.0.0.2, 192.0.2.1',
    '203.0.113.9, unknown',
    '203.0.113.9, 10.0.0.1:443',
    '203.0.113.9,',
    '203.0.113.9, <script>',
    '203.0.113.256',
  ])('is that of the peer if the proxies give none in %p', (forwarded) => {
    expect(addressOf('10.0.0.1', forwarded)).toBe('10.0.0.1');
  });

  it('is that of the peer if nobody trusts it, without the long form of IPv4', () => {
    expect(addressOf('192.0.2.2', '203.0.113.9')).toBe('192.0.2.2');
    expect(addressOf('::ffff:192.0.2.2', '203.0.113.9')).toBe('192.0.2.2');
    expect(addressOf('10.0.0.1', '203.0.113.9', [])).toBe('10.0.0.1');
    expect(addressOf(undefined, '203.0.113.9')).toBeUndefined();
  });

  it('is found in several lines of the header, and logged', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', write: (line) => void lines.push(line) });
    await using service = await openListeningService({
      log,
      peerOf: () => '10.0.0.1',
      trustedProxies: proxies,
    });
    using connection = (await openConnection(service.url))!;
    const forwarded = ['198.51.100.7', '203.0.113.9, 10.1.1.1', '192.0.2.1'];
    const head = forwarded.map((line) => `X-Forwarded-For: ${line}\r\n`).join('');
    connection.write(`GET /v1/pets HTTP/1.1\r\nHost: petstore\r\n${head}\r\n`);
    expect(await connection.receive()).toMatchObject({ status: 401 });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ client: '203.0.113.9' }]);
  });
});
