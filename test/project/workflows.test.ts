import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { idsOf } from '../support/http/calls.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { makeFolder } from '../support/process/process.ts';
import { lint, runRedocly } from '../support/process/redocly.ts';

interface Step {
  stepId: string;
  response: { statusCode: number; body: unknown; headers: Record<string, string> };
}

interface Workflow {
  workflowId: string;
  status: string;
  executedSteps: Step[];
}

const description = 'petstore.arazzo.yaml';

/** Runs workflows with Redocly's Respect against the service; throws unless every check passes. */
async function respect(
  { url, apiKey }: ListeningService,
  workflowIds: string[],
  inputs: object,
): Promise<Workflow[]> {
  using folder = makeFolder();
  const log = join(folder.path, 'respect.json');
  const { status, stdout, stderr } = await runRedocly([
    'respect',
    description,
    ...['--server', `petstore=${url}/v1`],
    ...['--input', JSON.stringify({ apiKey, ...inputs })],
    ...['--json-output', log],
    ...workflowIds.flatMap((id) => ['--workflow', id]),
  ]);
  if (status !== 0) throw new Error(stdout + stderr);
  const { files } = (await Bun.file(log).json()) as {
    files: Record<string, { executedWorkflows: Workflow[] }>;
  };
  return files[description]?.executedWorkflows ?? [];
}

describe(description, () => {
  it('is clean under the recommended rules of Redocly', async () => {
    expect(await lint(description)).toEqual([]);
  });

  it('runs against the service, step by step', async () => {
    await using service = await openListeningService();
    const names = ['addListAndFetch', 'sellOnce', 'findAndSell', 'retrySafely', 'readFirstPage'];
    const workflows = await respect(service, names, { idempotencyKey: 'order-4711' });
    const outcomes = workflows.map(({ workflowId, executedSteps }) => [
      workflowId,
      ...executedSteps.map(({ stepId, response }) => `${stepId} ${response.statusCode}`),
    ]);
    expect(outcomes).toEqual([
      ['addListAndFetch', 'add 201', 'list 200', 'fetch 200'],
      ['sellOnce', 'add 201', 'sell 200', 'sellAgain 412', 'orders 200'],
      ['findAndSell', 'add 201', 'search 200', 'sell 200', 'whoAmI 200', 'order 200'],
      ['retrySafely', 'add 201', 'repeat 201', 'reuse 422'],
      ['readFirstPage', 'page 200'],
    ]);

    const walked: unknown[] = [];
    let page = workflows.at(-1)?.executedSteps[0]?.response;
    while (page) {
      walked.push(...(page.body as { id: number }[]).map(({ id }) => String(id)));
      const cursor = /[?&]cursor=([^&>]+)/.exec(page.headers['link'] ?? '')?.[1];
      const next = cursor === undefined ? [] : await respect(service, ['readNextPage'], { cursor });
      page = next[0]?.executedSteps[0]?.response;
    }
    const stored = await (await service.call('/v1/pets?limit=100')).text();
    expect(walked).toEqual(idsOf(stored));
    expect(walked.length).toBe(4);
  });
});
