import { describe, expect, it } from 'bun:test';
import { readDeployFile } from '../support/deploy/files.ts';
import { helpOf } from '../support/deploy/help.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

const dockerfile = readDeployFile('Dockerfile');
/** All that is said about the image itself, after the stage that builds the executable. */
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const valueOf = (instruction: string): string =>
  new RegExp(`^${instruction} (.+)$`, 'm').exec(image)?.[1] ?? '';

describe('the Dockerfile', () => {
  it('sets variables that petstore serve knows, to values that it accepts', async () => {
    const { variables } = await helpOf('serve');
    const assignments = valueOf('ENV')
      .split(' ')
      .map((assignment) => assignment.split('='));
    const ours = assignments.filter(([name = '']) => name !== 'PATH' && name !== 'HOME');
    expect(ours.filter(([name = '']) => !variables.has(name))).toEqual([]);
    const { host, port } = parseServeOptions([], Object.fromEntries(ours) as Record<string, string>);
    expect({ host, port }).toEqual({ host: '0.0.0.0', port: Number(valueOf('EXPOSE')) });
  });

  it('runs and checks the service by commands that exist', async () => {
    expect(valueOf('ENTRYPOINT')).toBe('["petstore"]');
    const [command = ''] = JSON.parse(valueOf('CMD')) as string[];
    const [, check = ''] = JSON.parse(/\[.*\]/.exec(valueOf('HEALTHCHECK'))?.[0] ?? '[]') as string[];
    expect([command, check]).toEqual(['serve', 'health']);
    await helpOf(check);
  });

  it('does not run as root', () => {
    expect(valueOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });
});
