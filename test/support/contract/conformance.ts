import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expectedResponse } from './expected.ts';
import { wholeContract, type DocumentedResponse, type Schema } from './openapi.ts';

/** What was asked; the address may be a path alone. */
export interface Asked {
  method: string;
  url: string;
}

/** Throws, with every difference, unless this response is described. The body stays unread. */
export async function checkResponse(
  { method, url }: Asked,
  response: Response,
  contract = wholeContract,
): Promise<void> {
  const documented = expectedResponse(method, url, response.status, contract);
  const problems = documented
    ? [
        ...problemsOfHeaders(documented, response),
        ...problemsOfBody(documented, response, method, await response.clone().text()),
      ]
    : ['the status is not documented'];
  if (problems.length === 0) return;
  throw new Error(
    `${method} ${url} sent ${response.status} against ${contract.name}:\n- ${problems.join('\n- ')}`,
  );
}

export type Call = (path: string, init?: RequestInit) => Promise<Response>;

export interface InProcessApp {
  fetch(request: Request): Response | Promise<Response>;
}

/** Calls the app without a socket and checks every response. */
export function createChecked(app: InProcessApp, contract = wholeContract): Call {
  return async (path, init) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, init));
    await checkResponse({ method: methodOf(init), url: path }, response, contract);
    return response;
  };
}

/** `fetch`, with every response checked. */
export const checkedFetch: Call = async (url, init) => {
  const response = await fetch(url, init);
  await checkResponse({ method: methodOf(init), url }, response);
  return response;
};

function methodOf(init: RequestInit = {}): string {
  return (init.method ?? 'GET').toUpperCase();
}

/** Headers that belong to the connection or to the body, which is checked by itself. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

function problemsOfHeaders(documented: DocumentedResponse, { headers }: Response): string[] {
  const names = new Set(Object.keys(documented.headers).map((name) => name.toLowerCase()));
  const unknown = [...headers.keys()].filter((name) => !transportHeaders.has(name) && !names.has(name));
  const wrong = Object.entries(documented.headers).flatMap(([name, { required = false, schema }]) => {
    const text = headers.get(name);
    if (text === null) return required ? [`the header ${name} is missing`] : [];
    const value = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
    return problemsOfValue(schema, value).map((problem) => `the header ${name}: ${text} ${problem}`);
  });
  return [...unknown.map((name) => `the header ${name} is not documented`), ...wrong];
}

function problemsOfBody(
  documented: DocumentedResponse,
  response: Response,
  method: string,
  text: string,
): string[] {
  const contentType = response.headers.get('Content-Type');
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!documented.content) {
    return [
      ...(text === '' ? [] : ['there is a body, and none is documented']),
      ...(contentType === null ? [] : [`the media type ${contentType} is not documented`]),
    ];
  }
  const content = documented.content[mediaType];
  if (!content) return [`the media type ${contentType ?? '(none)'} is not documented`];
  if (method === 'HEAD') return text === '' ? [] : ['a response to HEAD has a body'];
  if (mediaType !== 'application/json') return problemsOfValue(content.schema, text);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return [`the body is not JSON: ${text}`];
  }
  const problems = problemsOfValue(content.schema, body).map((problem) => `the body ${problem}`);
  if (response.status < 400 || problems.length > 0) return problems;
  const { code, status } = body as { code: string; status: number };
  const documentedCodes = Object.values(content.examples ?? {}).map(
    ({ value }) => (value as { code: string }).code,
  );
  return [
    ...(status === response.status ? [] : [`the body says status ${status}`]),
    ...(documentedCodes.includes(code) ? [] : [`the code ${code} has no example in this response`]),
  ];
}

const ajv = new Ajv2020({ allErrors: true });
ajv.addVocabulary(['x-extensible-enum']);
ajv.addFormat(
  'date-time',
  (text) => /^\d{4}-.*T.*(?:Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
);
ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 });
ajv.addFormat('int32', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 31 });

/** By the text of their schema, which most operations share: compiling one takes as long as a hundred requests. */
const validators = new Map<string, ValidateFunction>();

/** What keeps a value from being an instance of a schema; nothing when it is one. */
export function problemsOfValue(schema: Schema, value: unknown): string[] {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(schema);
  validators.set(text, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** `JSON.parse`, but an integer past 64 bits, which would be rounded into range, becomes Infinity. */
export function parseJson(text: string): unknown {
  const exact = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
    typeof value === 'number' &&
    /^-?\d+$/.test(source) &&
    BigInt.asIntN(64, BigInt(source)) !== BigInt(source)
      ? Infinity
      : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}
