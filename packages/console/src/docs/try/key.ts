import { keepKeyForTab, readKey } from '../../session.ts';

export interface KeyFields {
  /** The key, or undefined after the form has said that it needs one. */
  read(form: HTMLFormElement): string | undefined;
}

/** One key for all forms, kept for this tab and shared with the console. */
export function offerKey(): KeyFields {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('[data-key]')];
  const show = (key: string) => {
    for (const input of inputs) {
      if (input.value.trim() !== key) input.value = key;
      input.removeAttribute('aria-invalid');
      const help = input.parentElement?.querySelector<HTMLElement>('[data-key-help]');
      if (!help) continue;
      help.textContent =
        key === '' ? 'There is no key in this tab yet.' : 'All forms here and the console share it.';
      help.classList.remove('error');
    }
  };
  show(readKey() ?? '');
  for (const input of inputs) {
    input.addEventListener('input', () => show(input.value.trim()));
    input.addEventListener('change', () => keepKeyForTab(input.value.trim()));
  }
  return {
    read(form) {
      const input = form.querySelector<HTMLInputElement>('[data-key]');
      const key = input?.value.trim() ?? '';
      if (key !== '') return key;
      input?.setAttribute('aria-invalid', 'true');
      const help = form.querySelector<HTMLElement>('[data-key-help]');
      if (help) help.textContent = 'Enter an API key first.';
      help?.classList.add('error');
      input?.focus();
      return undefined;
    },
  };
}
