import { accessSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';

/** Names the user who may use a store that this user may not use in that way. Undefined when rights are not the problem. */
export function explainRights(name: string, mode: number): OperatorError | undefined {
  try {
    accessSync(name, mode);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return undefined;
  }
  const owner = ownerOf(name);
  if (owner === process.getuid?.()) return undefined;
  // As `sudo -u` takes a number.
  const user = `'#${owner}'`;
  return new OperatorError(
    `The store ${name} belongs to the user ${user}, and this user may not use it.`,
    `Run the same command as that user: sudo -u ${user} petstore …`,
  );
}

/** The owner of the file, or of the first folder on the way to it that may be entered. */
function ownerOf(path: string): number {
  try {
    return statSync(path).uid;
  } catch (error) {
    const folder = dirname(path);
    if (folder === path) throw error;
    return ownerOf(folder);
  }
}
