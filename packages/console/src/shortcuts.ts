import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  keys: string[];
  label: string;
}

/** What the help lists, in this order. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['/'], label: 'Search' },
  { keys: ['n'], label: 'Add a new pet' },
  { keys: ['↑', '↓'], label: 'Go to the pet above or below' },
  { keys: ['Page Up', 'Page Down'], label: 'Go one screen up or down' },
  { keys: ['Home', 'End'], label: 'Go to the first or last pet' },
  { keys: ['Esc'], label: 'Clear the search, or close a window' },
  { keys: ['?'], label: 'Show this help' },
];

/** Calls the action of a key that is pressed anywhere but where people type. */
export function useShortcuts(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = current.current[event.key];
      if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered() || !areShortcutsOn()) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

const offName = 'petstore-shortcuts-off';

/** Speech input and trembling hands press keys that nobody meant: WCAG 2.1.4 wants a way to turn shortcuts off. */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(offName) === null;
  } catch {
    return true;
  }
}

export function setShortcutsOn(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(offName);
    else localStorage.setItem(offName, 'true');
  } catch {
    // A browser may refuse storage; then shortcuts stay on.
  }
}

/** An open dialog or menu takes the keys; the browser closes it on Escape. */
function isCovered(): boolean {
  return document.querySelector('dialog[open], :popover-open') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input:not([type=radio]), select, textarea') !== null
  );
}
