import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { statusOfCode, type ErrorCode } from '../../src/domain/error.ts';
import { problemsOfValue } from '../support/contract/conformance.ts';
import { contractYaml, experimentalContract } from '../../src/http/web/contract.ts';
import { experimental, v1, type Contract, type Example } from '../support/contract/openapi.ts';
import { makeFolder } from '../support/process/process.ts';

for (const contract of [v1, experimental]) describe(contract.name, () => testDocument(contract));

function testDocument({ name, openapi, operations }: Contract): void {
  it('is clean under the recommended rules of Redocly', async () => {
    using folder = makeFolder();
    // The larger document exists only as a sum.
    const sum = join(folder.path, 'openapi.experimental.json');
    await Bun.write(sum, JSON.stringify(experimentalContract(contractYaml({}))));
    const file = name === v1.name ? 'openapi.yaml' : sum;
    const lint = Bun.spawn(
      ['node_modules/.bin/redocly', 'lint', file, '--extends=recommended', '--format=json'],
      {
        cwd: new URL('../..', import.meta.url).pathname,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        stderr: 'ignore',
      },
    );
    const { totals, problems } = (await new Response(lint.stdout).json()) as Record<string, unknown>;
    expect(problems).toEqual([]);
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
    expect(await lint.exited).toBe(0);
  });

  const schemas = openapi.components.schemas;
  const codes = Object.keys(statusOfCode) as ErrorCode[];
  const allResponses = [...operations, openapi['x-any-other-path']].flatMap(({ responses }) =>
    Object.entries(responses),
  );
  const examplesOf = (wanted: (status: number) => boolean) =>
    allResponses
      .filter(([status]) => wanted(Number(status)))
      .flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema, examples = {} }) =>
          Object.values(examples).map((example: Example) => ({ status: Number(status), schema, example })),
        ),
      );

  it('lists exactly the error codes of the service', () => {
    expect(schemas['Error']?.properties?.['code']?.enum).toEqual(codes);
  });

  it.each(codes)('shows %s under its status', (code) => {
    const statuses = examplesOf((status) => status >= 400)
      .filter(({ example }) => (example.value as { code: string }).code === code)
      .map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual([statusOfCode[code]]);
  });

  it('gives every error an example, and every example its own status', () => {
    for (const [status, { content = {} }] of allResponses) {
      if (Number(status) < 400) continue;
      expect(Object.keys(content)).toEqual(['application/json']);
      expect(Object.keys(content['application/json']?.examples ?? {})).not.toBeEmpty();
    }
    for (const { status, example } of examplesOf((candidate) => candidate >= 400)) {
      expect(example.value).toHaveProperty('status', status);
    }
  });

  it('has only examples that match their schema', () => {
    const requests = operations.flatMap(({ requestBody, parameters }) => [
      ...parameters.map(({ schema, example }) => ({ schema, value: example as unknown })),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema, examples = {} }) =>
        Object.values(examples).map(({ value }) => ({ schema, value })),
      ),
    ]);
    const responses = examplesOf(() => true).map(({ schema, example }) => ({ schema, value: example.value }));
    const headers = allResponses.flatMap(([, response]) =>
      Object.values(response.headers).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ schema, value: example }],
      ),
    );
    for (const { schema, value } of [...requests, ...responses, ...headers]) {
      expect(problemsOfValue(schema, value)).toEqual([]);
    }
  });

  it('marks getPet, and nothing else, as deprecated with its day', () => {
    expect(operations.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)).toEqual([
      'getPet',
    ]);
    expect(openapi.paths['/v1/pets/{petId}']?.get).toHaveProperty('x-sunset', '2030-12-05');
  });
}
