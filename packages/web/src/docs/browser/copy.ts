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
    button.addEventListener('click', () => void copyFrom(button, code.textContent ?? '', code));
    head.append(button);
  }
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
