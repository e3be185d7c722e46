import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/index.ts';
import { labelOf } from '../pets/find/filter.tsx';
import { shortNameOf } from './words.ts';

export interface PetMenuProps {
  pet: Pet;
  /** The button that the menu belongs to. */
  opener: HTMLElement;
  onStatus: (status: PetStatus | undefined) => void;
  onEdit: () => void;
  onRemove: () => void;
  onClose: () => void;
}

const statuses = [
  { status: 'available', key: 'a' },
  { status: 'pending', key: 'p' },
  { status: 'sold', key: 's' },
  { status: undefined, key: undefined },
] as const;

/** Everything that can be done with a pet. */
export function PetMenu({ pet, opener, onStatus, onEdit, onRemove, onClose }: PetMenuProps) {
  const menu = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const opened = menu.current;
    if (!opened) return;
    opened.showPopover();
    putBeside(opened, opener.getBoundingClientRect());
    (opened.querySelector<HTMLElement>('[aria-checked=true]') ?? itemsOf(opened)[0])?.focus();
  }, [opener]);

  // It would not move with its button. An event may also tell of a scroll from before the menu was open.
  useEffect(() => {
    const { top, right } = opener.getBoundingClientRect();
    const closeIfMoved = () => {
      const now = opener.getBoundingClientRect();
      if (now.top !== top || now.right !== right) menu.current?.hidePopover();
    };
    addEventListener('scroll', closeIfMoved, { passive: true });
    addEventListener('resize', closeIfMoved);
    return () => {
      removeEventListener('scroll', closeIfMoved);
      removeEventListener('resize', closeIfMoved);
    };
  }, [opener]);

  /** Closes first: that returns the focus to the row. */
  const choose = (act: () => void) => () => {
    menu.current?.hidePopover();
    act();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const opened = menu.current;
    if (!opened || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Tab') return opened.hidePopover();
    const items = itemsOf(opened);
    const accelerated = items.find(
      (item) => item.ariaKeyShortcuts?.toLowerCase() === event.key.toLowerCase(),
    );
    const target = accelerated ?? neighbour(event.key, items);
    if (!target) return;
    event.preventDefault();
    target.focus();
    accelerated?.click();
  };

  return (
    <div
      ref={menu}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={`Change ${shortNameOf(pet)}`}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
      onKeyDown={onKeyDown}
    >
      <div role="group" aria-label="Status">
        {statuses.map(({ status, key }) => (
          <button
            type="button"
            key={status ?? 'none'}
            role="menuitemradio"
            tabIndex={-1}
            aria-checked={pet.status === status}
            aria-keyshortcuts={key?.toUpperCase()}
            onClick={choose(() => onStatus(status))}
          >
            <span class={`status ${status ?? 'none'}`}>{labelOf(status)}</span>
            {key && <kbd>{key}</kbd>}
          </button>
        ))}
      </div>
      <hr />
      <button type="button" role="menuitem" tabIndex={-1} aria-keyshortcuts="E" onClick={choose(onEdit)}>
        Edit <kbd>e</kbd>
      </button>
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        aria-keyshortcuts="Delete"
        class="danger"
        onClick={choose(onRemove)}
      >
        Remove <kbd>Del</kbd>
      </button>
    </div>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('button')];
}

function neighbour(key: string, items: HTMLElement[]): HTMLElement | undefined {
  const index = items.findIndex((item) => item === document.activeElement);
  if (key === 'ArrowDown') return items[index + 1] ?? items[0];
  if (key === 'ArrowUp') return items.at(index - 1);
  if (key === 'Home') return items[0];
  return key === 'End' ? items.at(-1) : undefined;
}

/** Below its button, or above it where there is more room. Narrow screens show it at their lower edge instead. */
function putBeside(menu: HTMLElement, button: DOMRect): void {
  const { style, offsetHeight, offsetWidth } = menu;
  const isBelow = button.bottom + offsetHeight + 8 < innerHeight || button.top < innerHeight / 2;
  style.setProperty('--left', `${Math.max(8, button.right - offsetWidth)}px`);
  style.setProperty('--top', `${isBelow ? button.bottom + 4 : Math.max(8, button.top - offsetHeight - 4)}px`);
}
