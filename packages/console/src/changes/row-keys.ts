import type { PetStatus } from '../../../client/src/index.ts';
import { areShortcutsOn, type Shortcut } from '../shortcuts.ts';

/** What the help lists when pets can be changed. */
export const changeShortcuts: readonly Shortcut[] = [
  { keys: ['s'], label: 'Sell the pet that has the focus' },
  { keys: ['p'], label: 'Make it pending' },
  { keys: ['a'], label: 'Make it available' },
  { keys: ['Enter', 'e'], label: 'Edit it: Enter saves, Esc cancels' },
  { keys: ['Delete'], label: 'Remove it' },
  { keys: ['u'], label: 'Undo' },
];

const letters: Record<string, PetStatus | 'edit'> = { s: 'sold', p: 'pending', a: 'available', e: 'edit' };

/** What a key does to the pet in whose row it was pressed. */
export function actionOfKey(event: KeyboardEvent): PetStatus | 'edit' | 'remove' | undefined {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return undefined;
  if (key === 'Delete' || key === 'Backspace') return 'remove';
  // Enter presses a button that has the focus.
  if (key === 'Enter') return target instanceof Element && target.matches('.row') ? 'edit' : undefined;
  return areShortcutsOn() ? letters[key] : undefined;
}
