/**
 * Raw messages around a create, sound and broken; `test/http/messages/whole-messages.test.ts` says what must hold for each.
 */
export interface Message {
  title: string;
  /** The bytes, as one character each. The pets in it bear this name. */
  bytes(name: string, key: string): string;
  /** How many responses to wait for; fewer when the connection closes. */
  responses: number;
  /** How many pets a sound message adds; left out where the runtime decides. */
  adds?: number;
  /** The status of a refusal. A caller that is still writing may not see it. */
  status?: number;
  /** The message never ends: the caller hangs up instead of waiting for a response. */
  isUnfinished?: boolean;
}

type Bytes = Message['bytes'];

const pet = (name: string): string => `{"name":"${name}","categoryId":1}`;
const keyOf = (key: string): string => `Host: petstore\r\nAuthorization: Bearer ${key}\r\n`;
const json = 'Content-Type: application/json\r\n';
const get = (key: string): string => `GET /v1/pets HTTP/1.1\r\n${keyOf(key)}\r\n`;

const create = (key: string, headers: string, body: string, version = 'HTTP/1.1'): string =>
  `POST /v1/pets ${version}\r\n${keyOf(key)}${json}${headers}\r\n${body}`;

/** A create with a counted body, with bytes behind it. */
function counted(behind: string | Bytes = '', headers = '', version = 'HTTP/1.1'): Bytes {
  return framed((length) => `${headers}Content-Length: ${length}\r\n`, behind, version);
}

/** A create in one chunk, with whatever ends it. */
function chunked(end: string | Bytes = '0\r\n\r\n', headers = ''): Bytes {
  return chunks((body) => `${body.length.toString(16)}\r\n${body}\r\n`, end, headers);
}

function chunks(of: (body: string) => string, end: string | Bytes = '0\r\n\r\n', headers = ''): Bytes {
  return (name, key) => {
    const rest = typeof end === 'string' ? end : end(name, key);
    return create(key, `${headers}Transfer-Encoding: chunked\r\n`, of(pet(name)) + rest);
  };
}

/** A create whose length is told by these header lines. */
function framed(lines: (length: number) => string, behind: string | Bytes = '', version?: string): Bytes {
  return (name, key) => {
    const body = pet(name);
    const rest = typeof behind === 'string' ? behind : behind(name, key);
    return create(key, lines(body.length), body + rest, version);
  };
}

/** Read by its Content-Length, all that follows is the body; read in chunks, it is another create. */
const lengthCoversAll =
  (line: string): Bytes =>
  (name, key) => {
    const body = `0\r\n\r\n${counted()(name, key)}`;
    return create(key, `${line}\r\nContent-Length: ${body.length}\r\n`, body);
  };
/** The other way round. */
const chunksCoverAll =
  (line: string): Bytes =>
  (name, key) => {
    const body = counted()(name, key);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    return create(key, `Content-Length: 4\r\n${line}\r\n`, chunk);
  };
/** The end of a body in chunks, and another create. */
const endAndCreate: Bytes = (name, key) => `0\r\n\r\n${counted()(name, key)}`;

const sound = (title: string, bytes: Bytes, adds = 1, responses = adds): Message => ({
  title,
  bytes,
  adds,
  responses,
});
const broken = (title: string, bytes: Bytes, responses = 1): Message => ({ title, bytes, responses });
const refused = (title: string, bytes: Bytes, status = 400): Message => ({
  title,
  bytes,
  status,
  responses: 1,
  adds: 0,
});
const unfinished = (title: string, bytes: Bytes): Message => ({
  title,
  bytes,
  responses: 0,
  adds: 0,
  isUnfinished: true,
});

const half = (body: string): [string, string] => [body.slice(0, 7), body.slice(7)];

/** None of these may stand beside a Content-Length. */
const encodings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: \vchunked',
  'TRANSFER-ENCODING: CHUNKED',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  ' Transfer-Encoding: chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\0',
  'Transfer-Encoding:\u00a0chunked',
  'Transfer-Encoding: ',
];
/** With the length of the body for N. */
const badLengths = [
  'Content-Length: N\r\nContent-Length: 200',
  'Content-Length: N, 200',
  'Content-Length: +N',
  'Content-Length: -1',
  'Content-Length: 0xN',
  'Content-Length: Nabc',
  'Content-Length: N 0',
  'Content-Length: 18446744073709551645',
  'Content-Length : N',
  'Content-Length:\r\n N',
  'Content-Length: ',
  'Content-Length: N.0',
];
const badSizes = ['zz', '', '5', '-N', '+N', '0xN', '100000000000000N', 'N;a\nb'];

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
  broken('letters behind a counted body', counted('junk')),
  broken('the start of a request behind a counted body', counted('GET /v1')),

  broken('a trailer', chunked('0\r\nX-Trailer: y\r\n\r\n')),
  broken('a trailer that names a length', chunked('0\r\nContent-Length: 5\r\n\r\n')),
  broken('letters instead of the last line', chunked('0\r\njunk')),
  broken('LF instead of the last line', chunked('0\r\n\n')),
  broken('CRLF behind the last chunk', chunked('0\r\n\r\n\r\n')),
  broken('letters behind the last chunk', chunked('0\r\n\r\njunk')),
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
    'a create pipelined behind a refused key',
    (name, key) => get('pets_wrong') + counted()(name, key),
    2,
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

  ...encodings.flatMap((line) => [
    refused(`${JSON.stringify(line)} and a length that covers all`, lengthCoversAll(line)),
    refused(`${JSON.stringify(line)} and chunks that cover all`, chunksCoverAll(line)),
  ]),
  refused('Transfer_Encoding, which is no header of HTTP', lengthCoversAll('Transfer_Encoding: chunked')),
  ...[', chunked', 'chunked,', 'identity', 'identity, chunked', 'gzip, chunked', 'chunked;q=1'].map(
    (coding) =>
      refused(`chunks as ${JSON.stringify(coding)}`, (name, key) =>
        chunked()(name, key).replace('Encoding: chunked', `Encoding: ${coding}`),
      ),
  ),
  ...badLengths.map((line) =>
    refused(
      `${JSON.stringify(line)} and another create behind`,
      framed((length) => `${line.replaceAll('N', String(length))}\r\n`, counted()),
    ),
  ),
  ...badSizes.map((size) =>
    refused(
      `the chunk size ${JSON.stringify(size)} and another create behind`,
      chunks((body) => `${size.replace('N', body.length.toString(16))}\r\n${body}\r\n`, endAndCreate),
    ),
  ),
  refused(
    'a chunk extension of 20 kB',
    chunks((body) => `${body.length.toString(16)};${'x'.repeat(20_000)}\r\n${body}\r\n`),
    413,
  ),
  refused(
    'a chunk without its line end',
    chunks((body) => `${body.length.toString(16)}\r\n${body}`, endAndCreate),
  ),
  refused(
    'chunk lines that end in LF',
    chunks(
      (body) => `${body.length.toString(16)}\n${body}\n`,
      (name, key) => `0\n\n${counted()(name, key)}`,
    ),
  ),

  refused('two media types', counted('', 'Content-Type: text/plain\r\n'), 415),
  refused('a text', (name, key) => counted()(name, key).replace('application/json', 'text/plain'), 415),
  refused('a refused key', (name) => counted()(name, 'pets_wrong'), 401),
  refused(
    'a body of 100 kB',
    (name, key) =>
      framed(() => `Content-Length: 100000\r\n`, ' '.repeat(100_000 - pet(name).length))(name, key),
    413,
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
