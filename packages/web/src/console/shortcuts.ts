import { useEffect, useRef } from 'preact/hooks';
import { tryStorage } from './session.ts';

export const shortcuts: readonly { keys: string[]; label: string }[] = [
  { keys: ['0007'], label: 'Scan a label anywhere: its pet is the one in hand' },
  { keys: ['/'], label: 'Search; digits go there by themselves' },
  { keys: ['n'], label: 'Add a new pet' },
  { keys: ['↑', '↓'], label: 'Go to the pet above or below' },
  { keys: ['Page Up', 'Page Down'], label: 'Go one screen up or down' },
  { keys: ['Home'], label: 'Go to the first pet' },
  { keys: ['Esc'], label: 'Clear the search, leave a field, or close what is open' },
  { keys: ['?'], label: 'Show this help' },
  { keys: ['s'], label: 'Sell the pet in hand' },
  { keys: ['p'], label: 'Make it pending' },
  { keys: ['a'], label: 'Make it available; return it if it is sold' },
  { keys: ['Enter', 'e'], label: 'Open it: Enter saves, Esc closes' },
  { keys: ['Delete'], label: 'Remove it' },
  { keys: ['u'], label: 'Take back what was done last, then what was done before' },
];

export const digits = Array.from('0123456789');

/** Calls the action of a key that is pressed anywhere except in a text field. */
export function useShortcuts(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = current.current[event.key];
      if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target instanceof Element && target.matches('input:not([type=radio]), select, textarea')) return;
      // Arrow keys also choose and scroll where the focus is.
      if (event.key.startsWith('Arrow') && target instanceof Element && !target.matches('body, .list'))
        return;
      // An open question or help takes the keys; the browser closes it on Escape.
      if (
        document.querySelector('dialog[open]:not(.details)') ||
        (event.key.length === 1 && !areShortcutsOn())
      )
        return;
      if (event.repeat && !event.key.startsWith('Arrow')) return;
      // A digit is typed into the search, which has the focus after its action.
      if (!digits.includes(event.key)) event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

const offName = 'petstore-shortcuts-off';

/** Speech input and trembling hands press keys that nobody meant, so WCAG 2.1.4 asks for a way to turn shortcuts off. */
export function areShortcutsOn(): boolean {
  return !tryStorage(() => localStorage.getItem(offName));
}

export function setShortcutsOn(areOn: boolean): void {
  tryStorage(() => (areOn ? localStorage.removeItem(offName) : localStorage.setItem(offName, 'true')));
}
