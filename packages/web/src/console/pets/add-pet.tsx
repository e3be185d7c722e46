import { useState } from 'preact/hooks';
import type { Categories } from '../categories/categories.ts';
import type { Outbox } from '../changes/outbox.ts';
import { isolatedName, shortNameOf } from '../changes/words.ts';
import { emptyDraft, readDraft, type Draft, type Typed } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';

export interface AddPetProps {
  outbox: Outbox;
  categories: Categories;
  onShow: (id: bigint) => void;
}

/** The form that adds a pet. It is empty again as soon as a pet is on its way. */
export function AddPet({ outbox, categories, onShow }: AddPetProps) {
  const [start, setStart] = useState(emptyDraft);
  const { added, newPets } = outbox;
  /** True when Enter is pressed again after the pet has left the form. */
  const isAgain = ({ name, categoryId }: Draft) =>
    name === '' && categoryId === '' && (added !== undefined || newPets.length > 0);
  const save = (typed: Typed) => {
    if (isAgain(typed.draft)) return;
    setStart({ ...emptyDraft, status: typed.draft.status });
    outbox.addPet(typed);
  };
  return (
    <div
      class="card"
      onKeyDown={({ key, target }) => key === 'Escape' && target instanceof HTMLElement && target.blur()}
    >
      <h2 id="add-pet-title">Add a pet</h2>
      <PetForm
        label="Add a pet"
        start={start}
        categories={categories}
        check={({ draft }) => (isAgain(draft) ? {} : readDraft(draft).errors)}
        save={save}
      >
        <div class="outcome" role="status">
          {newPets[0] ? (
            <p class="help">
              Adding {newPets[1] ? `${newPets.length} pets` : isolatedName(newPets[0].name)}…
            </p>
          ) : (
            added && (
              <p class="help success">
                <bdi>{shortNameOf(added)}</bdi> was added with id {added.id.toString()}.{' '}
                <button type="button" class="link" onClick={() => onShow(added.id)}>
                  Show it
                </button>
              </p>
            )
          )}
        </div>
      </PetForm>
    </div>
  );
}
