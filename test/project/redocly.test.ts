import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { contractOf, toOpenapi30 } from '../../src/http/contract.ts';
import { addPet, rex } from '../support/http/calls.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { project, run } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';

interface Step {
  stepId: string;
  response: { statusCode: number };
}

interface Workflow {
  workflowId: string;
  status: string;
  executedSteps: Step[];
}

const description = 'petstore.arazzo.yaml';

/** Runs all workflows with Redocly's Respect against the service; throws unless every check passes. */
async function respect({ url, apiKey }: ListeningService, inputs: object): Promise<Workflow[]> {
  using folder = makeFolder();
  const log = join(folder.path, 'respect.json');
  const { status, stdout, stderr } = await runRedocly([
    'respect',
    description,
    ...['--server', `petstore=${url}/v1`],
    ...['--input', JSON.stringify({ apiKey, ...inputs })],
    ...['--json-output', log],
  ]);
  if (status !== 0) throw new Error(stdout + stderr);
  const { files } = (await Bun.file(log).json()) as {
    files: Record<string, { executedWorkflows: Workflow[] }>;
  };
  return files[description]?.executedWorkflows ?? [];
}

it('Redocly finds nothing in any document of the service', async () => {
  using folder = makeFolder();
  const served = {
    'openapi.json': contractOf({}),
    'openapi-stable.json': contractOf({ stableOnly: true }),
    'openapi-3.0.json': toOpenapi30(contractOf({})),
    'openapi-3.0-stable.json': toOpenapi30(contractOf({ stableOnly: true })),
  };
  const files = [description];
  for (const [name, document] of Object.entries(served)) {
    const file = join(folder.path, name);
    await Bun.write(file, JSON.stringify(document));
    files.push(file);
  }
  const rules = ['--extends=recommended', '--format=stylish'];
  const { status, stdout } = await runRedocly(['lint', ...files, ...rules]);
  // Warnings would be in the output alone.
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

it('the workflows run against the service, step by step, however many pets and orders there are', async () => {
  await using service = await openListeningService();
  for (let count = 0; count <= 100; count++) await addPet(service.call, { ...rex, status: 'sold' });
  const workflows = await respect(service, { idempotencyKey: 'order-4711' });
  const outcomes = workflows.map(({ workflowId, executedSteps }) =>
    [workflowId].concat(executedSteps.map(({ stepId, response }) => `${stepId} ${response.statusCode}`)),
  );
  expect(outcomes).toEqual([
    ['addListAndFetch', 'add 201', 'list 200', 'fetch 200'],
    ['sellOnce', 'add 201', 'sell 200', 'sellAgain 412', 'orders 200'],
    ['findAndSell', 'add 201', 'search 200', 'sell 200', 'whoAmI 200', 'order 200'],
    ['retrySafely', 'add 201', 'repeat 201', 'reuse 422'],
    ['readPages', 'firstPage 200', 'nextPage 200'],
  ]);
});

/** Runs Redocly's CLI, which calls home unless it is told not to. */
function runRedocly(args: string[]): ReturnType<typeof run> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return run([join(project, 'node_modules/.bin/redocly'), ...args], project, env);
}
