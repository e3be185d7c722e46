/** How long a hurried hand may go on clicking, and how far it may slip. */
const hurriedMs = 1000;
const slipPx = 24;

/**
 * Returns a listener for clicks on their way down. A second click on the same spot within a second does nothing: the
 * button there may have become another one.
 */
export function createCalmClicks(): (event: MouseEvent) => void {
  let last: MouseEvent | undefined;
  return (event) => {
    const { target } = event;
    if (!(target instanceof Element && target.closest('.row, .note, .details button[type=button]'))) return;
    const isHurried =
      last !== undefined &&
      event.timeStamp - last.timeStamp < hurriedMs &&
      (last.target === target || isNear(last, event));
    last = event;
    if (!isHurried) return;
    event.stopPropagation();
    event.preventDefault();
  };
}

/** Clicks by the keyboard have no place, and a detail of 0. */
function isNear(a: MouseEvent, b: MouseEvent): boolean {
  return b.detail > 0 && Math.hypot(b.clientX - a.clientX, b.clientY - a.clientY) < slipPx;
}
