import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './data.ts';
import { isSameCell, type Cell, type Results } from './results.ts';

/**
 * What a run has measured so far, so that one that is cut off is not lost. Kept under a name of its options, versions and
 * machine: another run neither goes on with it nor writes over it.
 */
export async function saveUnfinished(results: Results, folder = cacheFolder): Promise<void> {
  await Bun.write(keptAt(results, folder), JSON.stringify(results));
}

export async function removeUnfinished(results: Results, folder = cacheFolder): Promise<void> {
  await rm(keptAt(results, folder), { force: true });
}

export class CannotContinueError extends Error {}

/** Takes over what was measured in the same way. */
export async function continueUnfinished(results: Results, folder = cacheFolder): Promise<Results> {
  const file = Bun.file(keptAt(results, folder));
  if (!(await file.exists()))
    throw new CannotContinueError(
      'There is no run of these options and versions that was cut off; start anew without --continue.',
    );
  const before = (await file.json()) as Results;
  const remark = `The run was cut off and went on at ${results.startedAt}.`;
  return { ...before, remarks: [...before.remarks, remark] };
}

function keptAt({ machine, method, contestants, workloads }: Results, folder: string): string {
  // The version of PostgreSQL is known at the end.
  const { PostgreSQL: _, ...versions } = machine.versions;
  const way = JSON.stringify([{ ...machine, versions }, method, contestants, workloads]);
  return join(folder, `unfinished-${Bun.hash(way).toString(36)}.json`);
}

export function isMeasured(
  samples: readonly (Cell & { round: number })[],
  cell: Cell,
  round: number,
): boolean {
  return samples.some((sample) => sample.round === round && isSameCell(sample, cell));
}
