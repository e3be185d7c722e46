import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Run } from './torture-test.ts';

const project = join(import.meta.dir, '../..');

/** A change of one source file that makes the service worse. */
export interface Patch {
  file: string;
  find: string;
  replace: string;
}

/** All that the controls break. A test makes sure that each still fits. */
export const knownPatches: Patch[] = [];

/** Runs a test against a copy of the project in which these places are broken. */
export function againstBroken(run: Run, patches: readonly Patch[]): Run {
  knownPatches.push(...patches);
  return async (options) => {
    using broken = breakProgram(patches);
    return await run({ ...options, program: broken.program });
  };
}

/** Copies the sources to a folder of their own and changes them there; the product has no switch for this. */
export function breakProgram(patches: readonly Patch[]): { program: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-broken-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const name of ['src', 'packages', 'package.json', 'openapi.yaml', 'tsconfig.json']) {
      cpSync(join(project, name), join(folder, name), { recursive: true, filter: isOfProgram });
    }
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    for (const patch of patches) apply(folder, patch);
  } catch (error) {
    remove();
    throw error;
  }
  return { program: join(folder, 'src/cli/petstore.ts'), [Symbol.dispose]: remove };
}

/** The tests of a package bring tools of their own, which would take seconds to copy. */
function isOfProgram(path: string): boolean {
  return basename(path) !== 'test';
}

/** A patch that no longer fits would make the control test the sound program. */
export function fits(root: string, { file, find }: Patch): boolean {
  return readFileSync(join(root, file), 'utf8').split(find).length === 2;
}

function apply(folder: string, patch: Patch): void {
  const { file, find, replace } = patch;
  if (!fits(folder, patch)) {
    throw new Error(`The control needs this text exactly once in ${file}, to break it:\n${find}`);
  }
  const path = join(folder, file);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(find, () => replace),
  );
}
