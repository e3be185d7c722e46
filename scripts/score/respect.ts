import { join } from 'node:path';
import { project } from '../command.ts';
import type { OpenedTester, Tester, TesterOptions } from './tester.ts';

interface Report {
  files: Record<string, { executedWorkflows: Workflow[] }>;
}

interface Workflow {
  workflowId: string;
  executedSteps: { stepId: string; checks: Check[] }[];
}

interface Check {
  name: string;
  condition?: string;
  passed: boolean;
  severity: string;
}

const packages = { '@redocly/cli': '2.73.0' };
/** The fifth, `readNextPage`, needs a cursor from outside. */
const workflows = ['addListAndFetch', 'sellOnce', 'retrySafely', 'readFirstPage'];

export const respect: Tester = {
  name: 'Redocly Respect',
  packages,
  method: 'runs the Arazzo workflows that `redocly generate-arazzo` makes, a request for each operation.',
  async open(options) {
    const description = 'generated.arazzo.yaml';
    await redocly(options.folder, ['generate-arazzo', options.documentFile, '--output-file', description]);
    return openRespect(options, [description]);
  },
};

export const respectWithOurs: Tester = {
  name: 'Redocly Respect with our workflows',
  packages,
  method:
    'runs four workflows of [petstore.arazzo.yaml](../petstore.arazzo.yaml), written by hand for the whole document.',
  async open(options) {
    return openRespect(options, [
      join(project, 'petstore.arazzo.yaml'),
      ...['--server', `petstore=${options.sandbox.url}/v1`],
      ...workflows.flatMap((id) => ['--workflow', id]),
    ]);
  },
};

function openRespect({ folder, sandbox }: TesterOptions, args: string[]): OpenedTester {
  const log = join(folder, 'respect.json');
  const inputs = JSON.stringify({ apiKey: sandbox.apiKey, idempotencyKey: 'one' });
  return {
    async run() {
      await redocly(folder, ['respect', ...args, '--input', inputs, '--json-output', log]);
      // It gives up, after a failed check, if the outputs of a workflow then have no value.
      if (!(await Bun.file(log).exists())) return ['no report'];
      const { files } = (await Bun.file(log).json()) as Report;
      await Bun.file(log).delete();
      return Object.values(files).flatMap(({ executedWorkflows }) => executedWorkflows.flatMap(failedChecks));
    },
    async [Symbol.asyncDispose]() {},
  };
}

function failedChecks({ workflowId, executedSteps }: Workflow): string[] {
  return executedSteps.flatMap(({ stepId, checks }) =>
    checks
      .filter(({ passed, severity }) => !passed && severity === 'error')
      .map(({ name, condition = '' }) => `${workflowId}/${stepId}: ${name} ${condition}`),
  );
}

/** Its status says only whether all checks passed. The report says which did not. */
async function redocly(folder: string, args: string[]): Promise<void> {
  const { exited } = Bun.spawn([join(folder, 'node_modules/.bin/redocly'), ...args], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await exited;
}
