import type { RefObject, VNode } from 'preact';
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/index.ts';
import { toProblem } from '../connect.ts';
import type { ConsoleClient } from '../console-client.ts';
import { indexOfPet } from '../pets/find/find-pets.ts';
import type { PetCollection } from '../pets/data/pet-collection.ts';
import type { RowParts } from '../pets/list/pet-grid.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { EditPet } from './edit-pet.tsx';
import { Notes } from './notes.ts';
import { NotesBar } from './notes-bar.tsx';
import { PetActions } from './pet-actions.ts';
import { PetMenu } from './pet-menu.tsx';
import { RowButtons } from './row-buttons.tsx';
import { actionOfKey } from './row-keys.ts';
import { useEditing } from './use-editing.ts';

export interface ChangesOptions {
  client: ConsoleClient;
  collection: PetCollection;
  /** The pets in the list. */
  shown: readonly Pet[];
  /** Moves the focus into the list. */
  enterList: RefObject<(() => void) | null>;
  onRefused: () => void;
}

export interface Changes {
  rowParts: RowParts;
  /** The menu of a row and the notes about what was done. */
  overlays: VNode;
}

/** Lets a person sell, correct and remove the pets of the list. */
export function useChanges({ client, collection, shown, enterList, onRefused }: ChangesOptions): Changes {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const { notes, changes } = useMemo(() => {
    const onChange = () => redraw();
    const created = new Notes(onChange);
    return {
      notes: created,
      changes: new PetActions({ client, collection, notes: created, onChange, onRefused, toProblem }),
    };
  }, [client, collection, onRefused]);
  const [menu, setMenu] = useState<{ pet: Pet; opener: HTMLElement }>();
  const { editing, begin, setAside, ...form } = useEditing(changes, notes);

  // What was removed on the screen is removed, even if the person leaves before the time is over.
  useEffect(() => {
    const leave = () => notes.endAll();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [notes]);

  const isEditedShown = !editing || indexOfPet(shown, editing.pet.id) !== -1;
  useEffect(() => {
    if (!isEditedShown) setAside();
  }, [isEditedShown]);

  useShortcuts({ u: () => notes.undo() });

  const setStatus = (pet: Pet, status: PetStatus | undefined) => {
    if (pet.status !== status) void changes.change(pet, { status: status ?? null });
  };
  const focusRow = (id: bigint) => {
    // After the list has been drawn with what has just changed.
    setTimeout(() =>
      requestAnimationFrame(() => {
        const row = document.querySelector<HTMLElement>(`.row[data-id="${id}"]`);
        if (row) row.focus();
        else enterList.current?.();
      }),
    );
  };

  const rowParts: RowParts = {
    renderActions: (pet, isActive) => (
      <RowButtons
        pet={pet}
        isActive={isActive}
        isSaving={changes.isSaving(pet.id)}
        hasProblem={notes.hasProblem(pet.id)}
        onSell={() => setStatus(pet, 'sold')}
        onReturn={() => setStatus(pet, 'available')}
        onShowProblem={() =>
          document.querySelector<HTMLElement>(`.note[data-pet="${pet.id}"] button`)?.focus()
        }
        onOpenMenu={(opener) => setMenu({ pet, opener })}
      />
    ),
    renderCells: (pet) => (editing?.pet.id === pet.id ? <EditPet editing={editing} {...form} /> : undefined),
    onRowKey(event, pet) {
      const action = editing?.pet.id === pet.id ? undefined : actionOfKey(event);
      if (!action) return;
      event.preventDefault();
      if (action === 'edit') begin(pet);
      else if (action === 'remove') changes.remove(pet);
      else setStatus(pet, action);
    },
  };

  const overlays = (
    <>
      {menu && (
        <PetMenu
          key={menu.pet.id.toString()}
          {...menu}
          onStatus={(status) => setStatus(menu.pet, status)}
          onEdit={() => begin(menu.pet)}
          onRemove={() => changes.remove(menu.pet)}
          onClose={() => setMenu(undefined)}
        />
      )}
      <NotesBar notes={notes} onChosen={focusRow} />
    </>
  );
  return { rowParts, overlays };
}
