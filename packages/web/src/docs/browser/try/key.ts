import { keepKeyForTab, readKey } from '../../../console/session.ts';

/** Shows the one key field of the docs. Its key is kept for this tab and shared with the console. */
export function offerKey(): () => string | undefined {
  const field = document.querySelector<HTMLElement>('.bar-key');
  const input = field?.querySelector('input');
  if (!field || !input) return () => undefined;
  field.hidden = false;
  input.value = readKey() ?? '';
  input.addEventListener('input', () => input.removeAttribute('aria-invalid'));
  input.addEventListener('change', () => keepKeyForTab(input.value.trim()));
  return () => {
    const key = input.value.trim();
    if (key !== '') return key;
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    return undefined;
  };
}
