/** The current commit, for reports: "1a2b3c4", or "1a2b3c4 and changes". Undefined without git. */
export function currentCommit(): string | undefined {
  const git = (...args: string[]): string => {
    const { stdout } = Bun.spawnSync(['git', '-C', import.meta.dir, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return stdout.toString().trim();
  };
  try {
    const commit = git('rev-parse', '--short', 'HEAD');
    if (commit === '') return undefined;
    return git('status', '--porcelain', '--', '../../src') === '' ? commit : `${commit} and changes`;
  } catch {
    return undefined;
  }
}
