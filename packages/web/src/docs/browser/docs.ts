import { tryStorage } from '../../console/session.ts';
import { showAddress } from './address.ts';
import { offerCopying } from './copy.ts';
import { offerTrying } from './try.ts';

/** Adds to the docs what needs a script. They can be read in full without it. */

const languageName = 'petstore-docs-language';

foldContents();
offerLanguages();
const address = showAddress();
offerCopying(document.body);
offerTrying(address);
markCurrentSection();

/** Folds the contents on a narrow screen, where they would push the text down. */
function foldContents(): void {
  const details = document.querySelector<HTMLDetailsElement>('.contents details');
  const wide = matchMedia('(min-width: 60rem)');
  const fit = () => details && (details.open = wide.matches);
  fit();
  wide.addEventListener('change', fit);
  details?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) fit();
  });
}

/** Marks the section on the screen in the navigation. */
function markCurrentSection(): void {
  const links = new Map<Element, Element>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.contents a[href^="#"]')) {
    const section = document.getElementById(link.hash.slice(1));
    if (section) links.set(section, link);
  }
  const visible = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      }
      // The first one in the band: a link brings its section to the top of the band.
      const current = [...links.keys()].find((section) => visible.has(section));
      if (current) mark(links.get(current), [...links.values()]);
    },
    // From below the bar to the middle of the screen.
    { rootMargin: '-96px 0px -50% 0px' },
  );
  for (const section of links.keys()) observer.observe(section);
}

function mark(current: Element | undefined, links: Element[]): void {
  for (const link of links) {
    if (link === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  const contents = current?.closest('.contents');
  if (!current || !contents) return;
  // `scrollIntoView` would also scroll the document where the contents do not scroll by themselves.
  const [inner, outer] = [current.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (inner.top < outer.top) contents.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) contents.scrollTop += inner.bottom - outer.bottom;
}

/** Shows one language of the samples at a time and remembers which. The style sheet hides the others. */
function offerLanguages(): void {
  const switcher = document.querySelector<HTMLElement>('.language');
  if (!switcher) return;
  const choices = [...switcher.querySelectorAll<HTMLInputElement>('input')];
  const chosen =
    choices.find(({ value }) => value === tryStorage(() => localStorage.getItem(languageName))) ?? choices[0];
  if (!chosen) return;
  chosen.checked = true;
  document.documentElement.dataset['language'] = chosen.value;
  switcher.hidden = false;
  switcher.addEventListener('change', (event) => {
    const { value } = event.target as HTMLInputElement;
    document.documentElement.dataset['language'] = value;
    tryStorage(() => localStorage.setItem(languageName, value));
  });
}
