import { useEffect, useRef } from 'preact/hooks';
import { isInvalidPet, petStatuses, type Pet } from '../../../client/src/index.ts';
import type { Changes } from '../changes/use-changes.ts';
import { shortNameOf } from '../changes/wish.ts';
import type { ConsoleClient } from '../connect.ts';
import { draftOf, labelOf, readChanges, readDraft } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import { PetOrders } from '../sales/pet-orders.tsx';
import { keepTyped, type Typed } from '../typed.ts';

export interface PetDetailsProps {
  client: ConsoleClient;
  pet: Pet;
  /** Undefined if the key may change nothing. */
  changes: Changes | undefined;
  /** True if the person asked to type. */
  isEditing: boolean;
  onClose: () => void;
}

/** All of one pet, what can be done with it and what became of it. Beside the list, or above it on a narrow screen. */
export function PetDetails({ client, pet, changes, isEditing, onClose }: PetDetailsProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const field = isEditing ? box.current?.querySelector<HTMLInputElement>('input') : undefined;
    if (field) field.select();
    else box.current?.querySelector<HTMLElement>('.close')?.focus();
  }, [isEditing]);
  const remove = () => {
    changes?.actions.remove(pet);
    onClose();
  };
  return (
    <section
      ref={box}
      class="details card"
      aria-labelledby="details-title"
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return;
        keepTyped(`pet-${pet.id}`, undefined);
        onClose();
      }}
    >
      <header>
        <h2 id="details-title" tabIndex={0}>
          {pet.name.trim() === '' ? <em>No name</em> : <bdi>{pet.name}</bdi>}
        </h2>
        <button type="button" class="plain small close" aria-label="Close details" onClick={onClose}>
          Close
        </button>
      </header>
      <p class="facts">
        {labelOf(pet.status)} · Category {pet.categoryId.toString()} · Id {pet.id.toString()}
      </p>
      {changes && (
        <>
          <div class="statuses" role="group" aria-label="Status">
            {[...petStatuses, undefined].map((status) => (
              <button
                type="button"
                key={status ?? 'none'}
                class="plain small"
                aria-pressed={pet.status === status}
                onClick={() => void changes.actions.setStatus(pet, status)}
              >
                {labelOf(status)}
              </button>
            ))}
          </div>
          <EditPet pet={pet} changes={changes} onSaved={onClose} />
        </>
      )}
      <PetOrders client={client} pet={pet} />
      <div class="edit-buttons">
        <button type="button" class="plain small" onClick={() => print()}>
          Print label
        </button>
        {changes && (
          <button type="button" class="plain small danger" onClick={remove}>
            Remove
          </button>
        )}
      </div>
    </section>
  );
}

interface EditPetProps {
  pet: Pet;
  changes: Changes;
  onSaved: () => void;
}

function EditPet({ pet, changes, onSaved }: EditPetProps) {
  const seenIn = ({ base }: Typed) => ({ id: pet.id, ...readDraft(base).pet }) as Pet;
  const save = async (typed: Typed) => {
    const { fields } = readChanges(seenIn(typed), typed.draft);
    const isChanged = Object.keys(fields).length > 0;
    const error = isChanged ? await changes.actions.save(seenIn(typed), fields) : undefined;
    if (error === undefined) onSaved();
    return error;
  };
  return (
    <PetForm
      prefix="edit"
      name={`pet-${pet.id}`}
      label={`Edit ${shortNameOf(pet)}`}
      start={draftOf(pet)}
      words={['Save', 'Saving…']}
      check={(typed) => readChanges(seenIn(typed), typed.draft).errors}
      save={save}
      tell={(error) => (isInvalidPet(error) ? error.message : undefined)}
    />
  );
}
