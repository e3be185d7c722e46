import { useState } from 'preact/hooks';
import { isUnauthorized, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import { shortNameOf } from '../changes/words.ts';
import { emptyDraft, readDraft } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import type { Typed } from '../session.ts';

export interface AddPetProps {
  client: PetstoreClient;
  categories: Categories;
  onAdded: (pet: Pet) => void;
  /** Called when the key is no longer accepted, with what became of the pet. */
  onRefused: (outcome: string) => void;
  onShow: (id: bigint) => void;
}

/** The form that adds a pet. What was typed stays until the service has it. */
export function AddPet({ client, categories, onAdded, onRefused, onShow }: AddPetProps) {
  const [start, setStart] = useState(emptyDraft);
  const [added, setAdded] = useState<Pet>();
  const save = async ({ draft, idempotencyKey }: Typed): Promise<unknown> => {
    setAdded(undefined);
    try {
      const pet = await client.createPet(readDraft(draft).pet, { idempotencyKey });
      setStart({ ...emptyDraft, status: draft.status });
      setAdded(pet);
      onAdded(pet);
      return undefined;
    } catch (error) {
      if (isUnauthorized(error)) onRefused('The new pet was not added; what you typed is kept.');
      return error;
    }
  };
  return (
    <div
      class="card"
      onKeyDown={({ key, target }) => key === 'Escape' && target instanceof HTMLElement && target.blur()}
    >
      <h2 id="add-pet-title">Add a pet</h2>
      <PetForm
        prefix="pet"
        name="add"
        label="Add a pet"
        start={start}
        categories={categories}
        action="Add pet"
        check={({ draft }) => readDraft(draft).errors}
        save={save}
      >
        <div class="outcome" role="status">
          {added && (
            <p class="help success">
              <bdi>{shortNameOf(added)}</bdi> was added with id {added.id.toString()}.{' '}
              <button type="button" class="link" onClick={() => onShow(added.id)}>
                Show it
              </button>
            </p>
          )}
        </div>
      </PetForm>
    </div>
  );
}
