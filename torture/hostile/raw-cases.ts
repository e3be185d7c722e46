/** What a socket may be sent that is no honest HTTP, or only just. */
export interface RawCase {
  name: string;
  bytes: string;
  /**
   * refused: an error of 4xx or 505, or a closed connection, and nothing done. served: below 400, as HTTP demands.
   * handled: either, as long as it is no 5xx of ours and nothing is smuggled.
   */
  expected: 'refused' | 'served' | 'handled';
  /** How many responses may come on the connection; one unless it pipelines. */
  responses?: number;
}

export interface CaseParts {
  key: string;
  /** The pet that a smuggled request would create. */
  smuggledName: string;
}

export function makeRawCases({ key, smuggledName }: CaseParts): RawCase[] {
  const auth = `Host: petstore\r\nAuthorization: Bearer ${key}\r\n`;
  const json = (text: string) =>
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const smuggled = `POST /v1/pets HTTP/1.1\r\n${auth}${json(`{"name":"${smuggledName}","categoryId":1}`)}`;
  const get = (target: string, headers = '', version = 'HTTP/1.1') =>
    `GET ${target} ${version}\r\n${auth}${headers}\r\n`;
  const list = get('/v1/pets');
  const sendChunked = (body: string) =>
    `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
  const chunk = '{"name":"Rex","categoryId":1}';
  const sound = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  const refused = (name: string, bytes: string): RawCase => ({ name, bytes, expected: 'refused' });
  const handled = (name: string, bytes: string): RawCase => ({ name, bytes, expected: 'handled' });
  const served = (name: string, bytes: string, responses = 1): RawCase => ({
    name,
    bytes,
    expected: 'served',
    responses,
  });

  /** A server that trusts Content-Length reads the rest as the body; one that trusts the other header, as a request. */
  const lengthCoversAll = (line: string) => {
    const body = `0\r\n\r\n${smuggled}`;
    return `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\n${line}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  /** The other way round. */
  const chunksCoverAll = (line: string) =>
    `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 4\r\n${line}\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  const both = (name: string, line: string): RawCase[] => [
    refused(`${name}, the length covers all`, lengthCoversAll(line)),
    refused(`${name}, the chunks cover all`, chunksCoverAll(line)),
  ];
  const withLength = (name: string, lines: string): RawCase =>
    refused(
      name,
      `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\n${lines}\r\n${chunk}${smuggled}`,
    );

  return [
    ...both('Content-Length and Transfer-Encoding', 'Transfer-Encoding: chunked\r\n'),
    ...both('Transfer-Encoding with a space before the colon', 'Transfer-Encoding : chunked\r\n'),
    ...both('Transfer-Encoding after a tab', 'Transfer-Encoding:\tchunked\r\n'),
    ...both('Transfer-Encoding after a vertical tab', 'Transfer-Encoding: \vchunked\r\n'),
    ...both('Transfer-Encoding in capitals', 'TRANSFER-ENCODING: CHUNKED\r\n'),
    ...both('Transfer-Encoding: xchunked', 'Transfer-Encoding: xchunked\r\n'),
    ...both('Transfer-Encoding: chunked, identity', 'Transfer-Encoding: chunked, identity\r\n'),
    ...both('Transfer-Encoding: identity, chunked', 'Transfer-Encoding: identity, chunked\r\n'),
    ...both('Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: gzip, chunked\r\n'),
    ...both('Transfer-Encoding: chunked;q=1', 'Transfer-Encoding: chunked;q=1\r\n'),
    ...both('Transfer-Encoding: "chunked"', 'Transfer-Encoding: "chunked"\r\n'),
    ...both('Transfer-Encoding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'),
    ...both(
      'Transfer-Encoding twice the same',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
    ),
    ...both('Transfer-Encoding folded', 'Transfer-Encoding:\r\n chunked\r\n'),
    ...both('Transfer-Encoding on a line that begins with a space', ' Transfer-Encoding: chunked\r\n'),
    ...both('Transfer-Encoding behind a bare LF', 'X: x\nTransfer-Encoding: chunked\r\n'),
    ...both('Transfer-Encoding behind a bare CR', 'X: x\rTransfer-Encoding: chunked\r\n'),
    ...both('Transfer-Encoding with a NUL', 'Transfer-Encoding: chunked\0\r\n'),
    ...both('Transfer-Encoding with an 8-bit space', 'Transfer-Encoding:\u00a0chunked\r\n'),
    ...both('an empty Transfer-Encoding', 'Transfer-Encoding: \r\n'),
    refused('Transfer_Encoding, the length covers all', lengthCoversAll('Transfer_Encoding: chunked\r\n')),
    withLength(
      'Content-Length twice, different',
      `Content-Length: ${chunk.length}\r\nContent-Length: ${chunk.length + smuggled.length}\r\n`,
    ),
    withLength(
      'Content-Length as a list',
      `Content-Length: ${chunk.length}, ${chunk.length + smuggled.length}\r\n`,
    ),
    withLength('Content-Length with a plus', `Content-Length: +${chunk.length}\r\n`),
    withLength('Content-Length below zero', 'Content-Length: -1\r\n'),
    withLength('Content-Length in hex', 'Content-Length: 0x1d\r\n'),
    withLength('Content-Length with letters behind', `Content-Length: ${chunk.length}abc\r\n`),
    withLength('Content-Length with a space inside', 'Content-Length: 2 9\r\n'),
    withLength('Content-Length past 64 bits', 'Content-Length: 18446744073709551645\r\n'),
    withLength('Content-Length with a space before the colon', `Content-Length : ${chunk.length}\r\n`),
    withLength('Content-Length folded', `Content-Length:\r\n ${chunk.length}\r\n`),
    withLength('an empty Content-Length', 'Content-Length: \r\n'),
    withLength('Content-Length with a fraction', `Content-Length: ${chunk.length}.0\r\n`),

    refused('lines that end in bare LF', `GET /v1/pets HTTP/1.1\n${auth.replaceAll('\r', '')}\n`),
    refused('a folded header', get('/v1/pets', 'X-Folded: one\r\n two\r\n')),
    refused('a header without a colon', get('/v1/pets', 'Nonsense\r\n')),
    refused('a header without a name', get('/v1/pets', ': nonsense\r\n')),
    refused('a header name with a space', get('/v1/pets', 'X Y: z\r\n')),
    refused('a header name with a NUL', get('/v1/pets', 'X\0Y: z\r\n')),
    refused('a header value with a NUL', get('/v1/pets', 'X-Y: a\0b\r\n')),
    refused('a header value with a bare CR', get('/v1/pets', 'X-Y: a\rb\r\n')),
    refused('a header of 1 MB', get('/v1/pets', `X-Long: ${'x'.repeat(1_000_000)}\r\n`)),
    refused('10,000 headers', get('/v1/pets', 'X-Many: y\r\n'.repeat(10_000))),
    // RFC 9112 wants 400; the platform hands over one of them, and nothing here depends on it.
    handled('two Host headers', get('/v1/pets', 'Host: other\r\n')),
    refused('no Host header', `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`),
    refused('two Authorization headers', get('/v1/pets', `Authorization: Bearer ${key}\r\n`)),
    refused(
      'two Content-Type headers',
      `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: text/plain\r\n${json(chunk)}`,
    ),
    handled('a header value with 8-bit bytes', get('/v1/pets', 'X-Y: \u00e9\u00ff\r\n')),

    served('an absolute target', get('http://petstore/v1/pets')),
    handled('an absolute target of another scheme', get('ftp://petstore/v1/pets')),
    handled('an absolute target with a user', get('http://user:password@petstore/v1/pets')),
    refused('CONNECT', `CONNECT petstore:443 HTTP/1.1\r\n${auth}\r\n`),
    handled('OPTIONS *', `OPTIONS * HTTP/1.1\r\n${auth}\r\n`),
    refused('a target without a slash', get('v1/pets')),
    refused('a target with a space', get('/v1/pets /x')),
    refused('a target with a NUL', get('/v1/pets\0')),
    refused('a target with a bare LF', get('/v1/pets\nX: y')),
    refused('a target with a fragment', get('/v1/pets#top')),
    refused('a target with two slashes', get('//v1/pets')),
    refused('a target that climbs', get('/v1/pets/../../../../etc/passwd')),
    refused('a target that climbs, encoded', get('/v1/pets/%2e%2e/%2e%2e/etc/passwd')),
    // A backslash is a slash to the platform, as in browsers; the key is asked for all the same.
    handled('a target with a backslash', get('/v1\\pets')),
    handled('a target with 8-bit bytes', get('/v1/pets?limit=\u00ff')),
    refused('a target of 1 MB', get(`/v1/${'x'.repeat(1_000_000)}`)),
    refused('a half percent sign', get('/v1/pets/%')),
    refused('HTTP/0.9', 'GET /v1/pets\r\n\r\n'),
    handled('HTTP/1.0', get('/v1/pets', '', 'HTTP/1.0')),
    refused('HTTP/2.0', get('/v1/pets', '', 'HTTP/2.0')),
    refused('HTTP/9.9', get('/v1/pets', '', 'HTTP/9.9')),
    refused('a version in small letters', get('/v1/pets', '', 'http/1.1')),
    refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    refused('a method in small letters', list.replace('GET', 'get')),
    refused('a method nobody knows', list.replace('GET', 'FROBNICATE')),
    refused('a method with a bracket', list.replace('GET', 'G(T')),
    refused('no method', list.replace('GET ', ' ')),
    refused('a method of 100 kB', list.replace('GET', 'G'.repeat(100_000))),
    refused('a ClientHello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(200, '\x01')),
    refused('nothing but NULs', '\0'.repeat(1000)),
    // Sound HTTP, and refused by the platform all the same.
    handled('empty lines before a request', `\r\n\r\n${list}`),
    handled(
      'an upgrade to WebSocket',
      get(
        '/v1/pets',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
      ),
    ),
    served(
      'an upgrade to HTTP/2',
      get(
        '/v1/pets',
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
      ),
    ),

    served('a sound body in chunks', sendChunked(`${sound}0\r\n\r\n`)),
    served(
      'a body in chunks with an extension',
      sendChunked(`${chunk.length.toString(16)};a=b\r\n${chunk}\r\n0\r\n\r\n`),
    ),
    handled('a body in chunks with a trailer', sendChunked(`${sound}0\r\nX-Trailer: y\r\n\r\n`)),
    refused('a chunk size that is no hex', sendChunked(`zz\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk size below zero', sendChunked(`-1d\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk size with a plus', sendChunked(`+1d\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk size with 0x', sendChunked(`0x1d\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk size past 64 bits', sendChunked(`1000000000000001d\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk longer than its size', sendChunked(`5\r\n${chunk}\r\n0\r\n\r\n${smuggled}`)),
    refused('a chunk without its line end', sendChunked(`1d\r\n${chunk}0\r\n\r\n${smuggled}`)),
    refused('chunk lines that end in bare LF', sendChunked(`1d\n${chunk}\n0\n\n${smuggled}`)),
    refused('a chunk extension with a bare LF', sendChunked(`1d;a\nb\r\n${chunk}\r\n0\r\n\r\n`)),
    refused('a chunk extension of 100 kB', sendChunked(`1d;${'x'.repeat(100_000)}\r\n${chunk}\r\n0\r\n\r\n`)),

    served('ten requests at once', list.repeat(10), 10),
    refused('a sound request, then nonsense', `${get('/livez/x')}\0\0\0nonsense\r\n\r\n`),
  ];
}
