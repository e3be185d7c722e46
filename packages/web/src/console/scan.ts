/** Labels print at least so many digits. */
const fewestDigits = 4;
/** No hand types this fast. */
const meanMs = 35;
const longestGapMs = 100;

/** What a scan is made of: the parts of a KeyboardEvent that tell. */
export interface Key extends Record<'repeat' | 'isComposing' | 'ctrlKey' | 'altKey' | 'metaKey', boolean> {
  key: string;
  timeStamp: number;
}

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
