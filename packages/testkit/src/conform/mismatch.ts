import type { ApiRequest, Exchange } from './api.ts';

/** What was sent, what the rule expects, and what came instead. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly sent: string;
  /** The operation whose response was wrong, such as `GET /pets/{petId}`. */
  readonly operation: string;
  readonly expected: string;
  readonly seen: string;
  /** Failures with equal reasons are one finding; `a > b` follows from `a`. */
  readonly reason: string;

  constructor(request: ApiRequest, expected: string, seen: string, reason?: string) {
    const sent = describeRequest(request);
    super(`Sent ${sent}\nExpected ${expected}\nSaw ${seen}`);
    this.sent = sent;
    this.operation = operationOf(request);
    this.expected = expected;
    this.seen = seen;
    this.reason = reason ?? `${sent}: ${expected}`;
  }
}

/** Fails the check unless the condition holds for this exchange. */
export function expectThat(
  holds: boolean,
  exchange: Exchange,
  expected: string,
  seen = describeResponse(exchange),
  reason?: string,
): asserts holds {
  if (!holds) throw new Mismatch(exchange.request, expected, seen, reason);
}

export function expectStatus(exchange: Exchange, status: number): void {
  const reason = statusReason(exchange, status);
  expectThat(exchange.status === status, exchange, `status ${status}`, undefined, reason);
}

/** Such as `GET /pets/{petId}`. */
export function operationOf({ method = 'GET', path }: ApiRequest): string {
  const [template = ''] = path.replace(/^\/v1\//, '/').split('?');
  const operation = template.replace(/^\/categories\/.+$/s, '/categories/{categoryId}');
  return `${method} ${operation.replace(/^\/pets\/.+$/s, '/pets/{petId}')}`;
}

/** The most likely reason for a wrong status. */
function statusReason(exchange: Exchange, status: number): string {
  const { request, status: seen } = exchange;
  if (status === 401) {
    // Services usually check keys in one place, so the operation is not part of the reason. A service that accepts
    // requests without a key accepts any key.
    if (seen >= 300) return `${seen} instead of 401`;
    return request.authorization === null ? 'no key' : `no key > ${request.authorization}`;
  }
  if (request.method !== 'POST') return status < 400 ? readReason(exchange) : refusalReason(exchange);
  const reason = createReason(seen, status);
  const isSpecial = seen === 201 || (status === 201 && seen >= 400);
  return isSpecial ? `${reason} > ${describeRequest(request)}` : reason;
}

/** The reason if all creates fail, and not only those of unusual pets. */
export function createReason(seen: number, status = 201): string {
  return `POST /pets: ${seen} instead of ${status}`;
}

function readReason({ request, status, text }: Exchange): string {
  return `${operationOf(request)}: ${status} ${text.replace(/\d+/g, '#')}`;
}

export function refusalReason({ request, status }: Exchange): string {
  return `${operationOf(request)}: ${status} instead of an error`;
}

/** `name` is a header; undefined expects none. */
export function expectHeader(exchange: Exchange, name: string, value: string | undefined): void {
  const seen = exchange.headers.get(name) ?? undefined;
  const show = (text: string | undefined) => (text === undefined ? `no ${name}` : `${name}: ${text}`);
  expectThat(seen === value, exchange, show(value), show(seen));
}

export function expectHeaderMatch(exchange: Exchange, name: string, pattern: RegExp): string {
  const seen = exchange.headers.get(name);
  expectThat(
    seen !== null && pattern.test(seen),
    exchange,
    `a header ${name} that matches ${pattern.source}`,
    seen === null ? `${exchange.status} without ${name}` : `${name}: ${seen}`,
  );
  return seen;
}

/** Such as `POST /pets {"name":"conform"}`, with the headers that matter. */
export function describeRequest({
  method = 'GET',
  path,
  headers = {},
  body,
  authorization,
}: ApiRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (authorization === null) lines.unshift('no Authorization');
  else if (authorization !== undefined) lines.unshift(`Authorization: ${authorization}`);
  const content = body === undefined ? '' : ` ${typeof body === 'string' ? body : String(Buffer.from(body))}`;
  return `${method} ${path}${lines.length > 0 ? ` (${lines.join(', ')})` : ''}${content}`;
}

export function describeResponse({ status, text }: Exchange): string {
  return text === '' ? `${status} without a body` : `${status} ${text}`;
}
