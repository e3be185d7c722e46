import { isPetstoreError, type PutCategoryOptions } from '../../../client/src/index.ts';
import { tellProblem } from './connect.ts';
import type { Notes } from './changes/notes.ts';
import type { Undo } from './changes/undo.ts';
import type { Categories } from './categories/categories.ts';

/** Tells what was done to a category, and how it gets back the name that it had before, or none. */
export function tellNamed(
  { undo, notes, categories }: { undo: Undo; notes: Notes; categories: Categories },
  text: string,
  id: bigint,
  before: string | undefined,
  precondition: PutCategoryOptions,
): void {
  const deed = undo.add(() => {
    const [state, undone] =
      before === undefined
        ? ['has no name', categories.remove(id, precondition)]
        : [`is “${before}”`, categories.put(id, before, precondition)];
    undone.then(
      () => notes.say(`Undone: category ${id} ${state} again.`),
      (error: unknown) => notes.tell(tellFailure(error)),
    );
    return undefined;
  });
  notes.add({ words: [text], undo: () => undo.take(deed) });
}

export function tellFailure(error: unknown): string {
  return isPetstoreError(error, 'precondition_failed', 'not_found')
    ? 'Somebody else has renamed or removed it in the meantime.'
    : tellProblem(error);
}
