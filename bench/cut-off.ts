import { killChildren } from './children.ts';
import { removeTemporaryFolders } from './temporary.ts';

/** A run that is cut off leaves no process and no folder behind. */
export function cleanUpWhenCutOff(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killChildren();
      removeTemporaryFolders();
      process.exit(1);
    });
  }
}
