import { createUuid } from '../../../client/src/uuid.ts';
import { uuid } from './code/request.ts';

/** Gives every block of code below an element a button that copies it. */
export function offerCopying(root: ParentNode): void {
  for (const block of root.querySelectorAll('.block')) {
    const code = block.querySelector('code');
    const head = block.querySelector('.block-head');
    const pre = block.querySelector('pre');
    if (!code || !head || !pre) continue;
    const button = createCopyButton('Copy', () => readCode(code), code);
    button.setAttribute('aria-label', `Copy: ${pre.getAttribute('aria-label') ?? ''}`);
    head.append(button);
  }
}

/** The code as it is shown, with a new key for each copy: two readers may run the same command. */
function readCode(code: Element): string {
  const key = new RegExp(`(?<=Idempotency-Key: )${uuid.source}`);
  for (const part of code.querySelectorAll('.t-string')) {
    part.textContent = (part.textContent ?? '').replace(key, createUuid);
  }
  return code.textContent ?? '';
}

function createCopyButton(label: string, readText: () => string, shown: Element): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
  button.className = 'copy';
  button.addEventListener('click', () => void copyFrom(button, readText(), shown));
  return button;
}

const shownForMs = 2000;

/** Copies a text and says so on the button for a moment. */
export async function copyFrom(button: HTMLButtonElement, text: string, shown?: Element): Promise<void> {
  const label = button.dataset['label'] ?? button.textContent ?? '';
  button.dataset['label'] = label;
  button.textContent = (await copy(text, shown)) ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => (button.textContent = label), shownForMs);
}

/** Browsers let only secure origins write to the clipboard. Elsewhere the text is selected for the reader to copy. */
async function copy(text: string, shown?: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
