import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embedAssets } from './embed-assets.ts';

const project = join(import.meta.dir, '..');
const source = join(project, 'src');

export interface ExecutableOptions {
  outfile: string;
  /** The platform, and its Bun. Without them, this platform and the Bun that runs. */
  platform?: { target: Bun.Build.CompileTarget; runtime: string };
}

/** Builds one executable that needs neither Bun nor Node nor any other file. */
export async function buildExecutable({ outfile, platform }: ExecutableOptions): Promise<void> {
  const file = resolve(outfile);
  mkdirSync(dirname(file), { recursive: true });
  // The executable names its modules relative to the current folder. Builds in two folders must not differ.
  process.chdir(project);
  await Bun.build({
    // Threads are loaded by path at run time, so the bundler does not find them.
    entrypoints: ['cli/petstore.ts', 'stores/sqlite/writer-thread.ts', 'stores/sqlite/search-thread.ts'].map(
      (entry) => join(source, entry),
    ),
    // All files of the executable are in one folder, where the program finds `./writer-thread.ts`.
    naming: { entry: '[name].[ext]' },
    plugins: [await embedAssets()],
    compile: {
      outfile: file,
      ...(platform && { target: platform.target, executablePath: platform.runtime }),
      // Files in the current folder may be anybody's: they must not configure it or run in it.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadTsconfig: false,
    },
  });
}
