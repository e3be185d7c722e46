import { useState } from 'preact/hooks';
import { isTemporary, isUnauthorized, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import { shortNameOf } from '../changes/words.ts';
import { tellProblem } from '../connect.ts';
import { emptyDraft, readDraft, type Draft } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import { type Typed } from '../session.ts';

export interface AddPetProps {
  client: PetstoreClient;
  onAdded: (pet: Pet) => void;
  onRefused: (outcome: string) => void;
  onShow: (id: bigint) => void;
}

export function AddPet({ client, onAdded, onRefused, onShow }: AddPetProps) {
  const [start, setStart] = useState(emptyDraft);
  const [added, setAdded] = useState<Pet>();
  /** True when Enter is pressed again after the pet was added. */
  const isAgain = ({ name, categoryId }: Draft) => added && name === '' && categoryId === '';

  const save = async ({ draft, idempotencyKey }: Typed): Promise<unknown> => {
    if (isAgain(draft)) return undefined;
    setAdded(undefined);
    try {
      const pet = await client.createPet(readDraft(draft).pet, { idempotencyKey });
      setAdded(pet);
      setStart({ ...emptyDraft, status: draft.status });
      document.getElementById('pet-name')?.focus();
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
        words={['Add pet', 'Adding…']}
        check={({ draft }) => (isAgain(draft) ? {} : readDraft(draft).errors)}
        save={save}
        tell={tell}
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

function tell(error: unknown): string {
  if (!isTemporary(error)) return tellProblem(error);
  return `Not added yet. ${tellProblem(error)} Press “Add pet” again in a moment. The pet is never added twice.`;
}
