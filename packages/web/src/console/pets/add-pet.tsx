import { useState } from 'preact/hooks';
import type { Categories } from '../categories/categories.ts';
import type { PetAdditions } from '../changes/pet-additions.ts';
import { isolatedName, shortNameOf } from '../changes/words.ts';
import { emptyDraft, readDraft, type Draft } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import { type Typed } from '../session.ts';

export interface AddPetProps {
  additions: PetAdditions;
  categories: Categories;
  onShow: (id: bigint) => void;
}

/** The form that adds a pet. It is empty again as soon as a pet is on its way. */
export function AddPet({ additions, categories, onShow }: AddPetProps) {
  const [start, setStart] = useState(emptyDraft);
  const { added, names } = additions;
  /** True when Enter is pressed again after the pet has left the form. */
  const isAgain = ({ name, categoryId }: Draft) =>
    name === '' && categoryId === '' && (added !== undefined || names.length > 0);
  const save = (typed: Typed): undefined => {
    if (isAgain(typed.draft)) return;
    setStart({ ...emptyDraft, status: typed.draft.status });
    additions.add(typed);
  };
  return (
    <div
      class="card"
      onKeyDown={({ key, target }) => key === 'Escape' && target instanceof HTMLElement && target.blur()}
    >
      <h2 id="add-pet-title">Add a pet</h2>
      <PetForm
        key={additions.returnedCount}
        prefix="pet"
        name="add"
        label="Add a pet"
        start={start}
        categories={categories}
        action="Add pet"
        check={({ draft }) => (isAgain(draft) ? {} : readDraft(draft).errors)}
        save={save}
      >
        <div class="outcome" role="status">
          {names.length > 0 ? (
            <p class="help">
              Adding {names.length === 1 ? isolatedName(names[0] ?? '') : `${names.length} pets`}…
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
