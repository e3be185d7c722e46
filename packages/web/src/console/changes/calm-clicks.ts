/** How long a hurried hand may keep clicking, and how far it may slip. */
const hurriedMs = 1000;
const slipPx = 24;
const guarded = '.row, .note button:not([aria-expanded]), .details button[type=button]';

/**
 * Returns a listener for clicks on their way down. A second click on the same spot within a second does nothing: the
 * button there may have become another one. `onIgnored` is called if it has.
 */
export function createCalmClicks(onIgnored: () => void): (event: MouseEvent) => void {
  let last: { event: MouseEvent; target: Element; timeStamp: number } | undefined;
  return (event) => {
    const { target, timeStamp } = event;
    if (!(target instanceof Element && target.closest(guarded))) return;
    const before = last;
    last = { event, target, timeStamp };
    if (!before || timeStamp - before.timeStamp >= hurriedMs) return;
    if (before.target !== target && !isNear(before.event, event)) return;
    event.stopPropagation();
    event.preventDefault();
    const isElsewhere = ['button', '.row'].some((part) => {
      const place = target.closest(part);
      return place !== null && place !== before.target.closest(part);
    });
    if (isElsewhere) onIgnored();
  };
}

/** Clicks by the keyboard have no place, and a detail of 0. */
function isNear(a: MouseEvent, b: MouseEvent): boolean {
  return b.detail > 0 && Math.hypot(b.clientX - a.clientX, b.clientY - a.clientY) < slipPx;
}
