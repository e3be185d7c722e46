import { createIdempotencyKey } from '../../../../client/src/index.ts';
import { uuid } from '../code.ts';

/** Gives every block of code below an element a button that copies it. */
export function offerCopying(root: ParentNode): void {
  for (const block of root.querySelectorAll('.block')) {
    const code = block.querySelector('code');
    const head = block.querySelector('.block-head');
    const pre = block.querySelector('pre');
    if (!code || !head || !pre) continue;
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    button.className = 'copy';
    button.setAttribute('aria-label', `Copy: ${pre.getAttribute('aria-label') ?? ''}`);
    button.addEventListener('click', () => void copyFrom(button, readCode(code), code));
    head.append(button);
  }
}

/** The code as it is shown, with a new key for each copy: two readers may run the same command. */
function readCode(code: Element): string {
  const key = new RegExp(`(?<=Idempotency-Key: )${uuid.source}`);
  for (const part of code.querySelectorAll('.t-string')) {
    part.textContent = (part.textContent ?? '').replace(key, createIdempotencyKey);
  }
  return code.textContent ?? '';
}

const shownForMs = 2000;

/**
 * Copies a text and says so on the button for a moment. Browsers let only secure origins write to the clipboard;
 * elsewhere the code is selected for the reader to copy.
 */
export async function copyFrom(button: HTMLButtonElement, text: string, code?: Element): Promise<void> {
  const label = button.dataset['label'] ?? button.textContent ?? '';
  button.dataset['label'] = label;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    if (code) getSelection()?.selectAllChildren(code);
    button.textContent = code ? 'Press Ctrl+C' : 'Not copied';
  }
  setTimeout(() => (button.textContent = label), shownForMs);
}
