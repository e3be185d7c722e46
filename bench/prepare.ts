import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './children.ts';
import { builtNestApp, peersFolder, type Contestant } from './contestant.ts';

/** Says in one line what is missing and how to get it. */
export function missingTools(): string[] {
  if (process.platform !== 'linux')
    return ['The benchmark reads /proc and pins processes to cores: run it on Linux.'];
  return [
    ...(Bun.which('wrk')
      ? []
      : ['wrk is missing. Debian and Ubuntu: apt install wrk. Others: https://github.com/wg/wrk']),
    ...(Bun.which('taskset') ? [] : ['taskset is missing. Debian and Ubuntu: apt install util-linux.']),
    ...(Bun.which('node') ? [] : ['node is missing; most peers run on it.']),
  ];
}

/** Installs the peers on first use; `npm start` and `npm test` never need them. */
export async function preparePeers(contestants: readonly Contestant[]): Promise<void> {
  const isInstalled = (name: string): boolean => existsSync(join(peersFolder, 'node_modules', name));
  const missing = contestants.flatMap(({ packages }) => packages).filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    process.stderr.write(
      'Installing the peers (once; better-sqlite3 may be compiled, which takes minutes)…\n',
    );
    await run(['npm', 'ci'], peersFolder);
  }
  if (contestants.some(({ id }) => id === 'nest')) {
    // Its decorators are TypeScript's, which Node does not run.
    const build = ['build', 'nest.ts', '--target=node', '--packages=external', `--outfile=${builtNestApp}`];
    await run([process.execPath, ...build], peersFolder);
  }
}
