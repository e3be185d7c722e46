import { tryStorage } from '../../console/session.ts';

const name = 'petstore-docs-language';

/** Shows one language of the samples at a time and remembers which. The style sheet hides the others. */
export function offerLanguages(): void {
  const switcher = document.querySelector<HTMLElement>('.language');
  if (!switcher) return;
  const choices = [...switcher.querySelectorAll<HTMLInputElement>('input')];
  const chosen =
    choices.find(({ value }) => value === tryStorage(() => localStorage.getItem(name))) ?? choices[0];
  if (!chosen) return;
  chosen.checked = true;
  document.documentElement.dataset['language'] = chosen.value;
  switcher.hidden = false;
  switcher.addEventListener('change', (event) => {
    const { value } = event.target as HTMLInputElement;
    document.documentElement.dataset['language'] = value;
    tryStorage(() => localStorage.setItem(name, value));
  });
}
