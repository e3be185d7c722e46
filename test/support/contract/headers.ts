import type { Header, OperationObject } from './openapi.ts';

/** The headers that the document leaves to HTTP, and the exact form of those that it names. */

const exactly = (...values: string[]): Header => ({
  required: true,
  schema: { type: 'string', enum: values },
});
const like = (pattern: string): Header => ({ required: true, schema: { type: 'string', pattern } });
const maybe = (header: Header): Header => ({ ...header, required: false });

const everywhere: Record<string, Header> = {
  'X-Request-Id': like('^[A-Za-z0-9_.:/+=@-]{1,128}$'),
  'X-Content-Type-Options': exactly('nosniff'),
  'Content-Security-Policy': exactly("default-src 'none'; frame-ancestors 'none'"),
  'Referrer-Policy': exactly('no-referrer'),
  // If the service itself terminates TLS.
  'Strict-Transport-Security': maybe(exactly('max-age=31536000')),
  // If the operator has listed origins.
  Vary: maybe(exactly('Origin')),
  'Access-Control-Allow-Origin': maybe(like('^https?://')),
  'Access-Control-Expose-Headers': maybe(like('.')),
};

const rateLimitPolicy = like(String.raw`^"default";q=\d+;w=\d+$`);
const rateLimit = like(String.raw`^"default";r=\d+;t=\d+$`);

/** With a valid key, if the operator has set a rate limit. */
const limited: Record<string, Header> = {
  'RateLimit-Policy': maybe(rateLimitPolicy),
  RateLimit: maybe(rateLimit),
};

const allow: Record<string, Header> = { Allow: like('^[A-Z]+(?:, [A-Z]+)*$') };

const options: Record<string, Header> = {
  ...allow,
  'Access-Control-Allow-Methods': maybe(like('^GET, HEAD, POST(?:, [A-Z]+)*$')),
  'Access-Control-Allow-Headers': maybe(like('.')),
  'Access-Control-Max-Age': maybe(like(String.raw`^\d+$`)),
};

const deprecation: Record<string, Header> = {
  Deprecation: exactly('@1794614400'),
  Sunset: exactly('Thu, 05 Dec 2030 00:00:00 GMT'),
  Link: exactly(
    '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
  ),
};

const stability = (mark: string): Record<string, Header> => ({ 'Petstore-Stability': exactly(mark) });

/** What the document says in words, or not at all. */
const forms: Record<string, Header> = {
  'RateLimit-Policy': rateLimitPolicy,
  RateLimit: rateLimit,
  ETag: like('^"[!#-~]+"$'),
  Link: like(
    String.raw`^<\?(?:(?:limit|petId|type|wait)=[\w.-]+&)*after=[A-Za-z0-9]+>; rel="next"$|^<\?limit=[0-9]+(?:&status=(?:available|pending|sold))?(?:&(?:q|id|categoryId|petId|returned|since|until|sort)=[\w.*+%-]+)*&cursor=[A-Za-z0-9_-]+>; rel="next"$`,
  ),
  // The new pet or category, or the docs.
  Location: like(String.raw`^(?:/v1/(?:pets|categories)/-?[0-9]+|(?:\.\./)?docs)$`),
  'Idempotent-Replayed': exactly('true'),
  'WWW-Authenticate': like('^Bearer realm="petstore"(?:, error="(?:invalid_token|insufficient_scope)")?$'),
};

/** Files and HTML depend on `Accept-Encoding`. */
const compressible: Record<string, Header> = {
  Vary: exactly('Accept-Encoding', 'Accept-Encoding, Origin'),
  'Content-Encoding': maybe(exactly('gzip')),
};

export interface Situation {
  method: string;
  status: number;
  /** The headers that the document shows for this response. */
  documented?: Record<string, Header>;
  /** The operation of this method and path, or that of GET for other methods. */
  operation?: OperationObject | undefined;
  needsKey: boolean;
  mediaType?: string | undefined;
}

/** Every header that a response may have, and must have if it is required. */
export function headersOf(situation: Situation): Record<string, Header> {
  const { method, status, documented = {}, operation, needsKey, mediaType = '' } = situation;
  const named = Object.entries(documented).map(([name, header]) => [
    name,
    { required: header.required ?? false, schema: forms[name]?.schema ?? header.schema },
  ]);
  const isText = /^(?:text|image)\//.test(mediaType);
  const isFile = isText && mediaType !== 'text/html';
  const isMethods = method === 'OPTIONS' && status === 204;
  return {
    ...(needsKey && status !== 401 && !isMethods && limited),
    ...(Object.fromEntries(named) as Record<string, Header>),
    // The document may not say so: other responses share its description.
    ...(status === 429 && { 'RateLimit-Policy': rateLimitPolicy, RateLimit: rateLimit }),
    ...everywhere,
    ...(isText && compressible),
    ...(mediaType === 'text/html' && { 'Content-Security-Policy': htmlPolicy }),
    ...(isMethods ? options : { 'Cache-Control': cacheFor(method, status, isFile) }),
    ...(status === 405 && allow),
    ...(operation?.deprecated && deprecation),
    ...(operation?.['x-stability'] !== undefined && stability(operation['x-stability'])),
  };
}

const htmlPolicy = like("^default-src 'none'; .+; frame-ancestors 'none'$");
const neverCached = exactly('no-store');
const revalidated = exactly('private, no-cache');
const keptForever = exactly('public, max-age=31536000, immutable', 'private, no-cache');

function cacheFor(method: string, status: number, isFile: boolean): Header {
  if (status >= 400 || !['GET', 'HEAD'].includes(method)) return neverCached;
  return isFile ? keptForever : revalidated;
}
