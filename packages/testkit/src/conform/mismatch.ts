import type { ApiRequest, Exchange } from './api.ts';

/** What was sent, what the rule expects of the response, and what came instead. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly sent: string;
  readonly expected: string;
  readonly seen: string;

  constructor(sent: string, expected: string, seen: string) {
    super(`Sent ${sent}\nExpected ${expected}\nSaw ${seen}`);
    this.sent = sent;
    this.expected = expected;
    this.seen = seen;
  }
}

/** Fails the check unless a statement about this exchange holds. */
export function expectThat(
  holds: boolean,
  exchange: Exchange,
  expected: string,
  seen = describeResponse(exchange),
): asserts holds {
  if (!holds) throw mismatch(exchange, expected, seen);
}

export function mismatch(exchange: Exchange, expected: string, seen = describeResponse(exchange)): Mismatch {
  return new Mismatch(describeRequest(exchange.request), expected, seen);
}

export function expectStatus(exchange: Exchange, status: number): void {
  expectThat(exchange.status === status, exchange, `status ${status}`);
}

/** Where the contract does not say which error, any error of the caller's will do. */
export function expectRefusal(exchange: Exchange): void {
  expectThat(exchange.status >= 400 && exchange.status < 500, exchange, 'a status from 400 to 499');
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
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (authorization === null) shown.unshift('no Authorization');
  else if (authorization !== undefined) shown.unshift(`Authorization: ${authorization}`);
  const content =
    body === undefined ? '' : ` ${excerpt(typeof body === 'string' ? body : String(Buffer.from(body)))}`;
  return `${method} ${excerpt(path)}${shown.length > 0 ? ` (${excerpt(shown.join(', '))})` : ''}${content}`;
}

export function describeResponse({ status, text }: Exchange): string {
  return text === '' ? `${status} without a body` : `${status} ${excerpt(text)}`;
}

const longest = 300;

function excerpt(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
