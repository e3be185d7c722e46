import { headersOf } from './headers.ts';
import type { Content, Contract, DocumentedResponse, OperationObject, Schema } from './openapi.ts';
import { openPaths, type OpenPath } from './open-paths.ts';

/**
 * The response that the document, or docs/operations.md beside it, allows: with every header, and with bodies that are
 * closed. Callers must expect more fields one day; this service may not send any that are not described.
 */
export function expectedResponse(
  method: string,
  url: string,
  status: number,
  contract: Contract,
): DocumentedResponse | undefined {
  const path = pathOf(url);
  const open = openPaths.find((candidate) => matches(candidate.path, path));
  if (open) return expectedAtOpenPath(method, status, open, contract);
  const { paths } = contract.openapi;
  // A path without a parameter comes first.
  const fixed = Object.keys(paths).find((each) => `/v1${each}` === path);
  const item = paths[fixed ?? Object.keys(paths).find((each) => matches(`/v1${each}`, path)) ?? ''];
  const known = item?.[(method === 'HEAD' ? 'GET' : method).toLowerCase() as 'get'];
  // Other methods have the marks of GET.
  const operation = known ?? item?.get;
  const documented = known
    ? documentedFor(known, status)
    : expectedOtherwise(method, status, item !== undefined, contract);
  if (!documented) return undefined;
  return complete(documented, { method, status, operation, needsKey: true });
}

/** HEAD responds as GET does; a 304 has the headers of the 200. */
function documentedFor({ responses }: OperationObject, status: number): DocumentedResponse | undefined {
  if (status === 304) return responses['304'] && { headers: responses['200']?.headers ?? {} };
  const { default: others } = responses;
  const examples = Object.values(others?.content?.['application/json']?.examples ?? {});
  const isExample = examples.some(({ value }) => (value as { status: number }).status === status);
  return responses[status] ?? (isExample ? others : undefined);
}

/** What an unknown path, or a method that a path does not list, may get. */
function expectedOtherwise(
  method: string,
  status: number,
  isPath: boolean,
  contract: Contract,
): DocumentedResponse | undefined {
  if (isPath && method === 'OPTIONS') return status === 204 ? { headers: {} } : undefined;
  return isPath ? sharedErrors(contract, 405)[status] : sharedErrors(contract, 404)[status];
}

function sharedErrors({ openapi }: Contract, own: 404 | 405): Record<number, DocumentedResponse | undefined> {
  const { Unauthorized, RateLimited, InternalError, Unavailable } = openapi.components.responses;
  return {
    401: Unauthorized,
    429: RateLimited,
    500: InternalError,
    503: Unavailable,
    [own]: errorOf(openapi, own),
  };
}

const codeOfStatus = { 404: 'not_found', 405: 'method_not_allowed', 412: 'precondition_failed' } as const;

function errorOf({ components }: Contract['openapi'], status: 404 | 405 | 412): DocumentedResponse {
  const examples = { only: { value: { code: codeOfStatus[status] } } };
  const schema = components.schemas['Error'] ?? {};
  return { headers: {}, content: { 'application/json': { schema, examples } } };
}

function expectedAtOpenPath(
  method: string,
  status: number,
  { path, statuses, mediaTypes }: OpenPath,
  { openapi }: Contract,
): DocumentedResponse | undefined {
  const situation = { method, status, needsKey: false };
  if (method === 'OPTIONS') return status === 204 ? complete({ headers: {} }, situation) : undefined;
  if (method !== 'GET' && method !== 'HEAD')
    return status === 405 ? complete(errorOf(openapi, 405), situation) : undefined;
  const etag = { ETag: { required: true, schema: {} } };
  const isCacheable = statuses.includes(200);
  const mediaType = mediaTypes[0];
  if (status === 200 && isCacheable) {
    const contents = mediaTypes.map((name) => [name, contentOf(path, name)]);
    const content = Object.fromEntries(contents) as Record<string, Content>;
    return complete({ headers: etag, content }, { ...situation, mediaType });
  }
  if (status === 304 && isCacheable) return complete({ headers: etag }, { ...situation, mediaType });
  if (status === 412 && isCacheable) return complete(errorOf(openapi, 412), situation);
  if (!statuses.includes(status)) return undefined;
  if (status < 400) return complete({ headers: { Location: { required: true, schema: {} } } }, situation);
  const { InternalError, Unavailable } = openapi.components.responses;
  const documented = { 404: errorOf(openapi, 404), 500: InternalError, 503: Unavailable }[status];
  return documented && complete(documented, situation);
}

const healthSchema: Schema = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
};

/** A service whose writes fail is ready all the same. */
const readySchema: Schema = {
  ...healthSchema,
  properties: { ...healthSchema.properties, writes: { type: 'string', const: 'failing' } },
};

const textSchema: Schema = { type: 'string' };
const documentSchema: Schema = { type: 'object', required: ['openapi', 'info', 'paths'] };

function contentOf(path: string, mediaType: string): Content {
  if (mediaType !== 'application/json') return { schema: textSchema };
  if (path === '/readyz') return { schema: readySchema };
  return { schema: path.startsWith('/openapi') ? documentSchema : healthSchema };
}

type Situation = Omit<Parameters<typeof headersOf>[0], 'documented'>;

function complete({ headers, content }: DocumentedResponse, situation: Situation): DocumentedResponse {
  const closed = Object.entries(content ?? {}).map(([mediaType, { schema, ...others }]) => [
    mediaType,
    { schema: close(schema), ...others },
  ]);
  return {
    headers: headersOf({ ...situation, documented: headers }),
    ...(content && { content: Object.fromEntries(closed) as Record<string, Content> }),
  };
}

/** A schema that refuses fields that it does not name. */
function close(schema: Schema): Schema {
  const { items, properties } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, close(field)]);
  return {
    ...schema,
    ...(items && { items: close(items) }),
    ...(properties && {
      properties: Object.fromEntries(fields) as Record<string, Schema>,
      additionalProperties: false,
    }),
  };
}

/** A request target has no fragment: what looks like one belongs to the path, or to the query. */
function pathOf(url: string): string {
  const { pathname } = new URL(url, 'http://localhost');
  const [beforeQuery = ''] = url.split('?');
  const hashAt = beforeQuery.indexOf('#');
  return hashAt === -1 ? pathname : pathname + beforeQuery.slice(hashAt);
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = decode(path).split('/');
  return (
    wanted.length === given.length &&
    wanted.every(
      (segment, index) => segment === given[index] || (segment.startsWith('{') && given[index] !== ''),
    )
  );
}

/** `/v1/pe%74s` is `/v1/pets` (RFC 3986, section 6.2.2.2). */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
