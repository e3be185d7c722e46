import { toInt64 } from './exact-json.ts';
import type { Api, ApiRequest, Exchange } from './api.ts';
import { expectHeader, expectStatus, expectThat } from './mismatch.ts';
import { isObject, parseBody } from './pets.ts';

interface SeenError {
  code: string;
  message: string;
  fieldNames: string[];
}

/** The Error in a body; fails unless it has its three fields, all of them correct. */
export function readError(exchange: Exchange): SeenError {
  const value = parseBody(exchange);
  const object = 'an Error: a JSON object with code, message and status';
  const hasAny = isObject(value) && ['code', 'message', 'status'].some((field) => field in value);
  expectThat(hasAny, exchange, object, undefined, 'an error is an Error');
  const { code, message, status } = value;
  const text = (field: string) => `a ${field} in the body, a string that is not empty`;
  expectThat(isText(code), exchange, text('code'), undefined, 'code of errors');
  expectThat(isText(message), exchange, text('message'), undefined, 'message of errors');
  const expected = `the integer status ${exchange.status} in the body`;
  const isStatus = toInt64(status) === BigInt(exchange.status);
  expectThat(isStatus, exchange, expected, undefined, 'status of errors');
  return { code, message, fieldNames: Object.keys(value) };
}

/** Sends a request and expects one of Petstore's errors, such as `400 invalid_pet`, in its exact form. */
export async function expectOutcome(api: Api, request: ApiRequest, outcome: string): Promise<Exchange> {
  const exchange = await api.send(request);
  const [status, code] = outcome.split(' ');
  expectStatus(exchange, Number(status));
  if (code === undefined || request.method === 'HEAD') return exchange;
  const error = readError(exchange);
  expectThat(error.code === code, exchange, `an Error with the code ${code}`);
  const isExact = error.fieldNames.toSorted().join() === 'code,message,status';
  expectThat(isExact, exchange, 'code, message and status alone', undefined, 'fields of errors');
  const isSentence = /^.+[.>"]$/.test(error.message);
  expectThat(isSentence, exchange, 'a message that is a whole sentence', undefined, 'sentences of errors');
  expectHeader(exchange, 'Content-Type', 'application/json');
  return exchange;
}

/** Like `expectOutcome`, for several independent requests. */
export function expectOutcomes(api: Api, requests: ApiRequest[], outcome: string): Promise<Exchange[]> {
  return Promise.all(requests.map((request) => expectOutcome(api, request, outcome)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
