import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Pet } from '../../../../client/src/index.ts';

export interface PetNameProps {
  pet: Pet;
  isNew: boolean;
  isActive: boolean;
  onShowName: (pet: Pet) => void;
}

/** More than two lines can show on any screen. The rest would only cost time. */
const longestShown = 1000;
/** Shorter names fit everywhere, and most names are shorter: those are not measured. */
const shortestCut = 30;

/** The name on at most two lines; a button shows the rest. */
export function PetName({ pet, isNew, isActive, onShowName }: PetNameProps) {
  const { name } = pet;
  const text = useRef<HTMLElement>(null);
  const [isCut, setIsCut] = useState(false);
  const isLong = name.length > shortestCut || name.includes('\n');
  useLayoutEffect(() => {
    const shown = text.current;
    if (isLong && shown) setIsCut(name.length > longestShown || shown.scrollHeight > shown.clientHeight + 1);
    else setIsCut(false);
  });
  return (
    <span class="name" role="rowheader">
      {name.trim() === '' ? (
        <em>No name</em>
      ) : (
        <bdi ref={text} class="name-text">
          {name.slice(0, longestShown)}
        </bdi>
      )}
      {isCut && (
        <button
          type="button"
          class="link more"
          tabIndex={isActive ? 0 : -1}
          aria-label="Show all of the name"
          onClick={() => onShowName(pet)}
        >
          Show all
        </button>
      )}
      {isNew && <span class="new">New</span>}
    </span>
  );
}
