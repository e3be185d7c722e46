import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { bundleAssets } from '../packages/web/src/index.ts';
import { project } from './command.ts';

const source = join(project, 'src');
const programs = {
  petstore: 'src/cli/petstore.ts',
  'petstore-sandbox': 'packages/testkit/src/cli/petstore-sandbox.ts',
};
export type Program = keyof typeof programs;

export interface ExecutableOptions {
  outfile: string;
  program?: Program;
  /** The platform, and its Bun. Without them, this platform and the Bun that runs. */
  platform?: { target: Bun.Build.CompileTarget; runtime: string };
}

/** Builds one executable that needs neither Bun nor Node nor any other file. */
export async function buildExecutable(options: ExecutableOptions): Promise<void> {
  const { outfile, program = 'petstore', platform } = options;
  const file = resolve(outfile);
  mkdirSync(dirname(file), { recursive: true });
  // The executable names its modules relative to the current folder. Builds in two folders must not differ.
  process.chdir(project);
  await Bun.build({
    // Threads are loaded by path at run time, so the bundler does not find them.
    entrypoints: [
      join(project, programs[program]),
      join(source, 'stores/sqlite/writer-thread.ts'),
      join(source, 'stores/sqlite/search-thread.ts'),
    ],
    // All files of the executable are in one folder, where the program finds `./writer-thread.ts`.
    naming: { entry: '[name].[ext]' },
    plugins: [await embedAssets(), serverOfThisFolder],
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

/** The kit imports the server by its name, which is installed only for development. */
const serverOfThisFolder: BunPlugin = {
  name: 'server-of-this-folder',
  setup(build) {
    build.onResolve({ filter: /^petstore-server\/embed$/ }, () => ({ path: join(source, 'embed.ts') }));
  },
};

/**
 * A plugin that replaces the code that bundles the console and the docs by its result: a one-file executable has
 * neither their sources nor Preact.
 */
async function embedAssets(): Promise<BunPlugin> {
  // Before the build begins: a bundler that waits for another one inside itself never ends.
  const assets = JSON.stringify(await bundleAssets());
  return {
    name: 'embed-assets',
    setup(build) {
      build.onLoad({ filter: /[\\/]web[\\/]src[\\/]bundle\.ts$/ }, () => ({
        loader: 'ts',
        contents: `export const bundleAssets = async () => (${assets});`,
      }));
    },
  };
}
