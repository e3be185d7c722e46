import { useEffect, useRef } from 'preact/hooks';

/** Labels print at least so many digits. */
const fewestDigits = 4;
/** No hand types this fast. */
const meanMs = 35;
const longestGapMs = 100;

/** What a scan is made of. */
export type Key = Pick<
  KeyboardEvent,
  'key' | 'timeStamp' | 'repeat' | 'isComposing' | 'ctrlKey' | 'altKey' | 'metaKey'
>;

/** Tells the keys of a label scanner from those of a person. */
export class Scanner {
  /** The digits that came quickly, one after the other, and when the first and the last of them did. */
  #digits = '';
  #firstMs = 0;
  #lastMs = 0;
  /** When the last key went down, of any kind but Shift. */
  #beforeMs = -Infinity;
  /** What came before the digits, until a pause: text, or a scan whose Enter may come twice. */
  #before: 'text' | 'scan' | undefined;

  /** What a key is: the first digit of what may be a scan, the end of one, its second Enter, or typing. */
  take(key: Key): 'first' | 'typing' | 'second' | { digits: string } {
    // Some keyboard layouts have the digits above Shift.
    if (key.key === 'Shift') return 'typing';
    if (key.timeStamp - this.#beforeMs > longestGapMs) {
      this.#digits = '';
      this.#before = undefined;
    }
    this.#beforeMs = key.timeStamp;
    const isPlain = !(key.repeat || key.isComposing || key.ctrlKey || key.altKey || key.metaKey);
    if (isPlain && /^\d$/.test(key.key)) return this.#takeDigit(key);
    const digits = this.#digits;
    const isEnd = isPlain && ['Enter', 'Tab'].includes(key.key);
    this.#digits = '';
    if (isEnd && this.#before === 'scan' && digits === '') return 'second';
    const isScan =
      isEnd && digits.length >= fewestDigits && this.#lastMs - this.#firstMs <= meanMs * (digits.length - 1);
    this.#before = isScan
      ? 'scan'
      : key.key.length === 1 || key.repeat || key.isComposing
        ? 'text'
        : undefined;
    return isScan ? { digits } : 'typing';
  }

  #takeDigit({ key, timeStamp }: Key): 'first' | 'typing' {
    if (this.#before === 'text') return 'typing';
    const isFirst = this.#digits === '';
    if (isFirst) this.#firstMs = timeStamp;
    this.#lastMs = timeStamp;
    this.#digits += key;
    return isFirst ? 'first' : 'typing';
  }
}

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
