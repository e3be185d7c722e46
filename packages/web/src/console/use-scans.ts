import { useEffect, useRef } from 'preact/hooks';
import { Scanner } from './scan.ts';

type TextField = HTMLInputElement | HTMLSelectElement;

/**
 * Calls `onScan` with the digits of each scan, wherever the focus is. Until its last key, a scan looks like typing: then
 * every field gets back the value it had before, with the events of a change.
 */
export function useScans(onScan: (digits: string) => void): void {
  const current = useRef(onScan);
  current.current = onScan;
  useEffect(() => {
    const scanner = new Scanner();
    let before = new Map<TextField, string>();
    const onKeyDown = (event: KeyboardEvent) => {
      // A native list that is open takes the keys itself.
      if (isListOpen(event.target)) return;
      const found = scanner.take(event);
      if (found === 'typing') return;
      if (found === 'first') {
        before = new Map(Array.from(fields(), (field) => [field, field.value]));
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (found === 'second') return;
      for (const [field, value] of before) if (field.value !== value) takeBack(field, value);
      current.current(found.digits);
    };
    // Before anything else sees the key.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}

const fields = () => document.querySelectorAll<TextField>('input:not([type=radio], [type=checkbox]), select');

function takeBack(field: TextField, value: string): void {
  field.value = value;
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

function isListOpen(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement && CSS.supports('selector(:open)') && target.matches(':open');
}
