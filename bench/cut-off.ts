import { killServers } from './server.ts';
import { removeTemporaryFolders } from './temporary.ts';

/** A run that is cut off leaves no process and no folder behind. */
export function cleanUpWhenCutOff(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killServers();
      removeTemporaryFolders();
      process.exit(1);
    });
  }
}
