import { toInt64 } from './exact-json.ts';
import type { Api, ApiRequest, Exchange } from './api.ts';
import { expectStatus, expectThat } from './mismatch.ts';
import { isObject, parseBody } from './pets.ts';

export interface SeenError {
  code: unknown;
  message: unknown;
  /** Undefined if it is no integer. */
  status: bigint | undefined;
  fieldNames: string[];
}

export function readError(exchange: Exchange): SeenError {
  const value = parseBody(exchange);
  expectThat(isObject(value), exchange, 'an Error object with code, message and status');
  const { code, message, status } = value;
  return { code, message, status: toInt64(status), fieldNames: Object.keys(value) };
}

/** Fails unless the body is an Error with its three fields, all of them right. */
export function expectErrorBody(exchange: Exchange): void {
  const { code, message, status } = readError(exchange);
  expectThat(
    typeof code === 'string' && code !== '',
    exchange,
    'an Error with a code, a string that is not empty',
  );
  expectThat(
    typeof message === 'string' && message !== '',
    exchange,
    'an Error with a message, a string that is not empty',
  );
  expectThat(
    status === BigInt(exchange.status),
    exchange,
    `an Error with the integer status ${exchange.status}`,
  );
}

/** Sends a request and expects an error of Petstore's, such as `400 invalid_pet`. */
export async function expectOutcome(api: Api, request: ApiRequest, outcome: string): Promise<Exchange> {
  const exchange = await api.send(request);
  const [status, code] = outcome.split(' ');
  expectStatus(exchange, Number(status));
  if (code === undefined || request.method === 'HEAD') return exchange;
  expectThat(readError(exchange).code === code, exchange, `an Error with the code ${code}`);
  return exchange;
}

/** The same for several requests that do not depend on each other. */
export function expectOutcomes(api: Api, requests: ApiRequest[], outcome: string): Promise<Exchange[]> {
  return Promise.all(requests.map((request) => expectOutcome(api, request, outcome)));
}
