import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './data.ts';
import { isSameCell, type Cell, type Results } from './results.ts';

/** What a run has measured so far, so that one that is cut off is not lost. */
const keptAt = join(cacheFolder, 'unfinished.json');

export async function saveUnfinished(results: Results, path = keptAt): Promise<void> {
  await Bun.write(path, JSON.stringify(results));
}

export async function removeUnfinished(path = keptAt): Promise<void> {
  await rm(path, { force: true });
}

export class CannotContinueError extends Error {}

/** Takes over what was measured, if it was measured in the same way. */
export async function continueUnfinished(results: Results, path = keptAt): Promise<Results> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw new CannotContinueError('There is no run that was cut off.');
  const before = (await file.json()) as Results;
  const wayOf = ({ method, contestants, workloads }: Results) => ({ method, contestants, workloads });
  if (!Bun.deepEquals(wayOf(before), wayOf(results)))
    throw new CannotContinueError(
      'The run that was cut off had other options or versions; start anew without --continue.',
    );
  const remark = `The run was cut off and went on at ${results.startedAt}.`;
  return { ...before, remarks: [...before.remarks, remark] };
}

export function isMeasured(
  samples: readonly (Cell & { round: number })[],
  cell: Cell,
  round: number,
): boolean {
  return samples.some((sample) => sample.round === round && isSameCell(sample, cell));
}
