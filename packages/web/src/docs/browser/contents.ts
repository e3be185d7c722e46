/** Folds the contents on a narrow screen, where they would push the text down. */
export function foldContents(): void {
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
export function markCurrentSection(): void {
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
