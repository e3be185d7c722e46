import { recall, remember } from './remembered.ts';

/** Shows one language of the samples at a time and remembers which. The style sheet hides the others. */
export function offerLanguages(): void {
  const switcher = document.querySelector<HTMLElement>('.language');
  if (!switcher) return;
  const choices = [...switcher.querySelectorAll<HTMLInputElement>('input')];
  const chosen = choices.find(({ value }) => value === recall('language')) ?? choices[0];
  if (!chosen) return;
  chosen.checked = true;
  document.documentElement.dataset['language'] = chosen.value;
  switcher.hidden = false;
  switcher.addEventListener('change', (event) => {
    const { value } = event.target as HTMLInputElement;
    // The samples above differ in height: what the reader looks at must not move.
    const [anchor, top] = firstVisible();
    document.documentElement.dataset['language'] = value;
    if (anchor) scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: 'instant' });
    remember('language', value);
  });
}

/** The first heading on the screen and its place. */
function firstVisible(): [heading: Element | undefined, top: number] {
  const headings = [...document.querySelectorAll('main h1, main h2, main h3, main h4')];
  const heading = headings.find((candidate) => candidate.getBoundingClientRect().top >= 0);
  return [heading, heading?.getBoundingClientRect().top ?? 0];
}
