import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Note, Notes } from './notes.ts';
import { idAfter, shortNameOf, type Words } from './words.ts';

export interface NotesBarProps {
  notes: Notes;
  /** Called when a button was pressed and goes away with its note. The focus must go somewhere. */
  onChosen: (petId: bigint | undefined) => void;
}

/**
 * Notes about recent changes, the newest first and the rest folded. A note stays while somebody points at it or has
 * the focus in it.
 */
export function NotesBar({ notes, onChosen }: NotesBarProps) {
  const box = useRef<HTMLElement>(null);
  // A finger does not hover.
  const held = matchMedia('(hover: hover)').matches ? ':hover, :focus-within' : ':focus-within';
  notes.isHeld = () => box.current?.matches(held) ?? false;
  const press = (note: Note, act: () => void) => {
    notes.choose(note, act);
    onChosen(note.petId);
  };

  const newestFirst = notes.list.toReversed();
  const restCount = newestFirst.length - 1;
  const [isUnfolded, setIsUnfolded] = useState(false);
  if (isUnfolded && restCount < 1) setIsUnfolded(false);
  const card = (note: Note) => {
    const index = newestFirst.indexOf(note);
    return (
      <div
        key={note.key}
        class={note.choices ? 'note is-problem' : 'note'}
        data-pet={note.petId?.toString()}
        // Problems and other notes are announced in regions of their own, and shown as one list.
        style={{ order: index }}
        hidden={index > 0 && !isUnfolded}
      >
        <p>{renderWords(note.words)}</p>
        {(note.undo ? [{ label: 'Undo', act: note.undo }] : (note.choices ?? [])).map(({ label, act }) => (
          <button type="button" key={label} onClick={() => press(note, act)}>
            {label}
          </button>
        ))}
        {index === 0 && restCount > 0 && (
          <button type="button" aria-expanded={isUnfolded} onClick={() => setIsUnfolded(!isUnfolded)}>
            {isUnfolded ? 'Fewer' : `${restCount} more`}
          </button>
        )}
      </div>
    );
  };

  useLayoutEffect(() => {
    // A note below the rows may cover what has the focus.
    const focused = document.activeElement;
    if (!box.current || !focused || box.current.contains(focused)) return;
    const [one, other] = [box.current.getBoundingClientRect(), focused.getBoundingClientRect()];
    const isBeside = one.right <= other.left || other.right <= one.left;
    const isApart = isBeside || one.bottom <= other.top || other.bottom <= one.top;
    if (!isApart && focused !== document.body) focused.scrollIntoView({ block: 'center' });
  }, [notes.list]);

  // Both regions always exist: screen readers announce what is added to them.
  return (
    <section ref={box} class="notes" aria-label="Latest changes">
      <div role="alert">{newestFirst.filter(({ choices }) => choices).map(card)}</div>
      <div role="status">{newestFirst.filter(({ choices }) => !choices).map(card)}</div>
    </section>
  );
}

function renderWords(words: Words) {
  return words.map((word) =>
    typeof word === 'string' ? (
      word
    ) : (
      <>
        <bdi>{shortNameOf(word)}</bdi>
        {idAfter(word)}
      </>
    ),
  );
}
