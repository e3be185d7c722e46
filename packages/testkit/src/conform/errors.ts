import { toInt64 } from './exact-json.ts';
import type { Api, ApiRequest, Exchange } from './api.ts';
import { expectStatus, expectThat } from './mismatch.ts';
import { isObject, parseBody } from './pets.ts';

export interface SeenError {
  code: unknown;
  message: unknown;
  /** Undefined if it is not an integer. */
  status: bigint | undefined;
  fieldNames: string[];
}

export function readError(exchange: Exchange): SeenError {
  const value = parseBody(exchange);
  const expected = 'an Error: a JSON object with code, message and status';
  const hasAny = isObject(value) && ['code', 'message', 'status'].some((field) => field in value);
  expectThat(hasAny, exchange, expected, undefined, 'an error is an Error');
  const { code, message, status } = value;
  return { code, message, status: toInt64(status), fieldNames: Object.keys(value) };
}

/** Fails unless the body is an Error with its three fields, all of them correct. */
export function expectErrorBody(exchange: Exchange): void {
  const error = readError(exchange);
  for (const field of ['code', 'message'] as const) {
    const isText = typeof error[field] === 'string' && error[field] !== '';
    const expected = `a ${field} in the body, a string that is not empty`;
    expectThat(isText, exchange, expected, undefined, `${field} of errors`);
  }
  const expected = `the integer status ${exchange.status} in the body`;
  expectThat(error.status === BigInt(exchange.status), exchange, expected, undefined, 'status of errors');
}

/** Sends a request and expects one of Petstore's errors, such as `400 invalid_pet`. */
export async function expectOutcome(api: Api, request: ApiRequest, outcome: string): Promise<Exchange> {
  const exchange = await api.send(request);
  const [status, code] = outcome.split(' ');
  expectStatus(exchange, Number(status));
  if (code === undefined || request.method === 'HEAD') return exchange;
  expectThat(readError(exchange).code === code, exchange, `an Error with the code ${code}`);
  return exchange;
}

/** Like `expectOutcome`, for several independent requests. */
export function expectOutcomes(api: Api, requests: ApiRequest[], outcome: string): Promise<Exchange[]> {
  return Promise.all(requests.map((request) => expectOutcome(api, request, outcome)));
}
