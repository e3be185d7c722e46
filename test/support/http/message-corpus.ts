/**
 * Raw messages around a create, sound and broken; `test/http/messages/whole-messages.test.ts` says what must hold for each.
 * Lengths and chunks that contradict themselves are in `torture/hostile/raw-cases.ts`.
 */
export interface Message {
  title: string;
  /** The bytes, as one character each. The pets in it bear this name. */
  bytes(name: string, key: string): string;
  /** How many responses to wait for; fewer when the connection closes. */
  responses: number;
  /** How many pets a sound message adds; left out where the runtime decides. */
  adds?: number;
  /** The message never ends: the caller hangs up instead of waiting for a response. */
  isUnfinished?: boolean;
}

type Bytes = Message['bytes'];

const pet = (name: string): string => `{"name":"${name}","categoryId":1}`;
const keyOf = (key: string): string => `Host: petstore\r\nAuthorization: Bearer ${key}\r\n`;
const json = 'Content-Type: application/json\r\n';
const get = (key: string, target = '/v1/pets'): string => `GET ${target} HTTP/1.1\r\n${keyOf(key)}\r\n`;

/** A create with a counted body, with bytes behind it. */
function counted(behind: string | Bytes = '', headers = '', version = 'HTTP/1.1'): Bytes {
  return (name, key) => {
    const body = pet(name);
    const rest = typeof behind === 'string' ? behind : behind(name, key);
    return `POST /v1/pets ${version}\r\n${keyOf(key)}${json}${headers}Content-Length: ${body.length}\r\n\r\n${body}${rest}`;
  };
}

/** A create in one chunk, with whatever ends it. */
function chunked(end: string | Bytes = '0\r\n\r\n', headers = ''): Bytes {
  return chunks((body) => `${body.length.toString(16)}\r\n${body}\r\n`, end, headers);
}

function chunks(of: (body: string) => string, end: string | Bytes = '0\r\n\r\n', headers = ''): Bytes {
  return (name, key) => {
    const rest = typeof end === 'string' ? end : end(name, key);
    return `POST /v1/pets HTTP/1.1\r\n${keyOf(key)}${json}${headers}Transfer-Encoding: chunked\r\n\r\n${of(pet(name))}${rest}`;
  };
}

/** A create whose length is told by these header lines. */
function framed(lines: (length: number) => string, behind = ''): Bytes {
  return (name, key) => {
    const body = pet(name);
    return `POST /v1/pets HTTP/1.1\r\n${keyOf(key)}${json}${lines(body.length)}\r\n${body}${behind}`;
  };
}

const sound = (title: string, bytes: Bytes, adds = 1, responses = adds): Message => ({
  title,
  bytes,
  adds,
  responses,
});
const broken = (title: string, bytes: Bytes, responses = 1): Message => ({ title, bytes, responses });
const refused = (title: string, bytes: Bytes): Message => ({ title, bytes, responses: 1, adds: 0 });
const unfinished = (title: string, bytes: Bytes): Message => ({
  title,
  bytes,
  responses: 0,
  adds: 0,
  isUnfinished: true,
});

const half = (body: string): [string, string] => [body.slice(0, 7), body.slice(7)];

export const messages: Message[] = [
  sound('a counted body', counted()),
  sound('a counted body and Connection: close', counted('', 'Connection: close\r\n')),
  sound('a counted body over HTTP/1.0', counted('', '', 'HTTP/1.0')),
  sound('a caller that waits for 100 Continue', counted('', 'Expect: 100-continue\r\n')),
  sound('a body in one chunk', chunked()),
  sound(
    'a body in two chunks',
    chunks((body) =>
      half(body)
        .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
        .join(''),
    ),
  ),
  sound(
    'a chunk with an extension',
    chunks((body) => `${body.length.toString(16)};a=b\r\n${body}\r\n`),
  ),
  sound(
    'a chunk size with zeros before it',
    chunks((body) => `00${body.length.toString(16)}\r\n${body}\r\n`),
  ),
  sound('a last chunk with an extension', chunked('0;a=b\r\n\r\n')),
  sound('a last chunk of several zeros', chunked('000\r\n\r\n')),
  sound('an absolute target', (name, key) =>
    counted()(name, key).replace('/v1/pets', 'http://petstore/v1/pets'),
  ),

  broken('CRLF behind a counted body', counted('\r\n')),
  broken('two CRLF behind a counted body', counted('\r\n\r\n')),
  broken('LF behind a counted body', counted('\n')),
  broken('CR behind a counted body', counted('\r')),
  broken('a space behind a counted body', counted(' ')),
  broken('NUL behind a counted body', counted('\0')),
  broken('letters behind a counted body', counted('junk')),
  broken('a line of letters behind a counted body', counted('junk\r\n\r\n')),
  broken('a response behind a counted body', counted('HTTP/1.1 200 OK\r\n\r\n')),
  broken('the start of a request behind a counted body', counted('GET /v1')),
  broken('bytes of TLS behind a counted body', counted('\x16\x03\x01\x02\x00')),

  broken('a trailer', chunked('0\r\nX-Trailer: y\r\n\r\n')),
  broken('two trailers', chunked('0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n')),
  broken('a trailer that names a length', chunked('0\r\nContent-Length: 5\r\n\r\n')),
  broken('letters instead of the last line', chunked('0\r\njunk')),
  broken('LF instead of the last line', chunked('0\r\n\n')),
  broken('last lines that end in LF', chunked('0\n\n')),
  broken('LF behind the last chunk', chunked('0\r\n\r\n\n')),
  broken('CRLF behind the last chunk', chunked('0\r\n\r\n\r\n')),
  broken('letters behind the last chunk', chunked('0\r\n\r\njunk')),
  broken('a line of letters behind the last chunk', chunked('0\r\n\r\njunk\r\n\r\n')),
  broken('a second last chunk', chunked('0\r\n\r\n0\r\n\r\n')),

  broken(
    'a list pipelined behind a create',
    counted((_, key) => get(key)),
    2,
  ),
  broken(
    'a list pipelined behind a create in chunks',
    chunked((_, key) => `0\r\n\r\n${get(key)}`),
    2,
  ),
  broken('a create pipelined behind a create', counted(counted()), 2),
  broken('a create in chunks pipelined behind a create', counted(chunked()), 2),
  broken(
    'a create pipelined behind one in chunks',
    chunked((name, key) => `0\r\n\r\n${counted()(name, key)}`),
    2,
  ),
  broken('five creates at once', counted(counted(counted(counted(counted())))), 5),
  broken('a create pipelined behind a list', (name, key) => get(key) + counted()(name, key), 2),
  broken(
    'a create pipelined behind a liveness check',
    (name, key) => get(key, '/livez') + counted()(name, key),
    2,
  ),
  broken(
    'a create pipelined behind a refused key',
    (name, key) => get('pets_wrong') + counted()(name, key),
    2,
  ),
  broken(
    'a create pipelined behind ten lists',
    (name, key) => get(key).repeat(10) + counted()(name, key),
    11,
  ),
  broken('a request without Host pipelined behind a create', counted('GET /livez HTTP/1.1\r\n\r\n'), 2),
  broken('an unknown method pipelined behind a create', counted('FROBNICATE / HTTP/1.1\r\n\r\n'), 2),

  broken(
    'the same length twice',
    framed((length) => `Content-Length: ${length}\r\nContent-Length: ${length}\r\n`),
  ),
  broken(
    'a length that is too short',
    framed((length) => `Content-Length: ${length - 1}\r\n`),
  ),
  refused(
    'no length at all',
    framed(() => ''),
  ),

  refused('a text', (name, key) => counted()(name, key).replace('application/json', 'text/plain')),
  refused('a refused key', (name) => counted()(name, 'pets_wrong')),
  refused('a body of 100 kB', (name, key) =>
    framed(() => `Content-Length: 100000\r\n`, ' '.repeat(100_000 - pet(name).length))(name, key),
  ),

  unfinished(
    'a length that is too long',
    framed((length) => `Content-Length: ${length + 1}\r\n`),
  ),
  unfinished('no last chunk', chunked('')),
  unfinished(
    'a chunk shorter than its size',
    chunks((body) => `ff\r\n${body}\r\n`, ''),
  ),
];
