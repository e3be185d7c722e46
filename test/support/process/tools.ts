import { join } from 'node:path';
import { outputOf, project } from './package.ts';

/** Programs that only tests use, with a lockfile of their own. */
export const tools = join(project, 'test/tools');

export function installTools(): Promise<string> {
  return outputOf(['npm', 'run', '--silent', 'tools'], project);
}

/** The Node of this machine, which may be as old as 20, and the current one. */
export const nodes: [name: string, program: string][] = [
  ['Node', 'node'],
  ['the current Node', join(tools, 'node_modules/.bin/node')],
];
