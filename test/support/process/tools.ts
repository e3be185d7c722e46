import { join } from 'node:path';
import { outputOf, project, run } from './package.ts';

/** Programs that only tests use, with a lockfile of their own. */
export const tools = join(project, 'test/tools');

export function installTools(): Promise<string> {
  return outputOf(['node', join(project, 'scripts/ensure-installed.mjs')], tools);
}

/** What the linters that users of packages go by find wrong with a tarball; attw reads the types of its modules. */
export async function complaintsAbout(tarball: string, hasModules = true): Promise<string> {
  const lint = async (program: string, ...args: string[]) => {
    const { status, stdout } = await run([join(tools, 'node_modules/.bin', program), ...args], tools);
    return status === 0 ? '' : stdout;
  };
  const found = await lint('publint', 'run', tarball, '--strict');
  return hasModules ? found + (await lint('attw', tarball, '--profile', 'esm-only')) : found;
}

/** The Node of this machine, which may be as old as 20, and the current one. */
export const nodes: [name: string, program: string][] = [
  ['Node', 'node'],
  ['the current Node', join(tools, 'node_modules/.bin/node')],
];
