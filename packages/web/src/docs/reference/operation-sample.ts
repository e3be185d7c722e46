import { clientSamples } from '../examples.ts';
import type { ApiRequest } from '../code.ts';
import { toSample, type CodeSample } from '../samples.ts';
import { examplesOf, type NamedOperation, type Parameter } from '../contract.ts';

/** A request built from the document's examples, with its documented response. */
export function sampleOf(operation: NamedOperation): CodeSample {
  const [status = '', response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const [example] = examplesOf(response?.content);
  const prints = example === undefined ? '' : JSON.stringify(example.value);
  return toSample(requestOf(operation), status, prints, clientSamples[operation.operationId]);
}

/** The optional parameters that belong in a good first request. */
const shownParameters = new Set(['limit', 'q', 'Idempotency-Key']);

function requestOf({ method, path, parameters, requestBody }: NamedOperation): ApiRequest {
  const sampled = parameters.filter(({ name, required }) => required || shownParameters.has(name));
  const partOf = (location: string) => sampled.filter((parameter) => parameter.in === location);
  const filled = partOf('path').reduce(
    (text, parameter) => text.replace(`{${parameter.name}}`, encodeURIComponent(valueOf(parameter))),
    path,
  );
  const pairsOf = (location: string) =>
    partOf(location).map((parameter): [string, string] => [parameter.name, valueOf(parameter)]);
  const query = new URLSearchParams(pairsOf('query'));
  const [body] = examplesOf(requestBody?.content);
  return {
    method,
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    headers: [
      ...(body ? [['Content-Type', 'application/json'] satisfies [string, string]] : []),
      ...pairsOf('header'),
    ],
    body: body && JSON.stringify(body.value),
  };
}

/** The contract has no example key, because tools would send it with every pet. The guide uses another one. */
const idempotencyKey = '5b0c8f5e-9d5c-4b8e-a3f1-7c2d6e90b414';

function valueOf({ name, example, schema }: Parameter): string {
  if (name === 'Idempotency-Key') return idempotencyKey;
  return String(example ?? schema.default ?? schema.enum?.[0] ?? '');
}
