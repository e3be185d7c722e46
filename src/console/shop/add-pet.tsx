import { useRef, useState } from 'preact/hooks';
import {
  createIdempotencyKey,
  isInvalidPet,
  isTemporary,
  isUnauthorized,
  petStatuses,
  type NewPet,
  type Pet,
  type PetstoreClient,
  type PetStatus,
} from '../../client/index.ts';
import { explain } from '../connect.ts';
import { Field } from '../field.tsx';
import { labelOf } from './filter.tsx';
import { emptyDraft, errorsOfMessage, readDraft, type Draft, type FieldErrors } from './new-pet-form.ts';

export interface AddPetProps {
  client: PetstoreClient;
  /** The filter of the list, which may hide the new pet. */
  shown: PetStatus | undefined;
  onAdded: (pet: Pet) => void;
  onRefused: () => void;
  onShowAll: () => void;
}

export function AddPet({ client, shown, onAdded, onRefused, onShowAll }: AddPetProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  const [last, setLast] = useState<Pet>();
  // One key for one draft, so that pressing again after a lost answer adds no second pet.
  const idempotencyKey = useRef<string>(undefined);
  const form = useRef<HTMLFormElement>(null);

  const change = (field: keyof Draft) => (value: string) => {
    idempotencyKey.current = undefined;
    setDraft((before) => ({ ...before, [field]: value }));
    setErrors((before) => ({ ...before, [field]: undefined }));
    setFailure(undefined);
  };

  const complain = (found: FieldErrors) => {
    setErrors(found);
    setLast(undefined);
    const [first] = (['name', 'category', 'status'] as const).filter((field) => found[field] !== undefined);
    form.current?.querySelector<HTMLElement>(`#pet-${first}`)?.focus();
  };

  const save = async (pet: NewPet) => {
    idempotencyKey.current ??= createIdempotencyKey();
    setIsSaving(true);
    setFailure(undefined);
    try {
      const created = await client.createPet(pet, { idempotencyKey: idempotencyKey.current });
      idempotencyKey.current = undefined;
      setDraft((before) => ({ ...emptyDraft, status: before.status }));
      setErrors({});
      setLast(created);
      onAdded(created);
      form.current?.querySelector<HTMLElement>('#pet-name')?.focus();
    } catch (error) {
      setLast(undefined);
      if (isUnauthorized(error)) onRefused();
      else if (isInvalidPet(error)) complain(errorsOfMessage(error.message));
      else setFailure(failureOf(error));
    }
    setIsSaving(false);
  };

  const submit = (event: Event) => {
    event.preventDefault();
    if (isSaving) return;
    const read = readDraft(draft);
    if ('errors' in read) complain(read.errors);
    else void save(read.pet);
  };

  const isHidden = last && shown !== undefined && last.status !== shown;
  return (
    <form ref={form} class="card" onSubmit={submit} noValidate>
      <h2 id="add-pet-title">Add a pet</h2>
      <Field
        id="pet-name"
        label="Name"
        value={draft.name}
        onInput={change('name')}
        error={errors.name}
        help="In any language."
      />
      <Field
        id="pet-category"
        label="Category"
        inputMode="numeric"
        value={draft.category}
        onInput={change('category')}
        error={errors.category}
        help="The number of its category."
      />
      <div class="field">
        <label for="pet-status">Status</label>
        <select
          id="pet-status"
          value={draft.status}
          onChange={(event) => change('status')(event.currentTarget.value)}
          aria-invalid={errors.status !== undefined}
          aria-describedby="pet-status-help"
        >
          {petStatuses.map((status) => (
            <option key={status} value={status}>
              {labelOf(status)}
            </option>
          ))}
          <option value="">No status</option>
        </select>
        <p id="pet-status-help" class={errors.status ? 'help wrong' : 'help'}>
          {errors.status ?? 'Whether it can be bought.'}
        </p>
      </div>
      <button type="submit" class="primary" aria-busy={isSaving}>
        {isSaving ? 'Adding…' : 'Add pet'}
      </button>
      <div class="outcome" role="status">
        {failure !== undefined && <p class="help wrong">{failure}</p>}
        {last && (
          <p class="help good">
            <bdi>{last.name}</bdi> was added with the id {last.id.toString()}.
            {isHidden && (
              <>
                {' '}
                The list shows only {shown} pets.{' '}
                <button type="button" class="link" onClick={onShowAll}>
                  Show all
                </button>
              </>
            )}
          </p>
        )}
      </div>
    </form>
  );
}

function failureOf(error: unknown): string {
  const { title, advice, requestId } = explain(error);
  return isTemporary(error)
    ? `Not added yet: ${title.charAt(0).toLowerCase()}${title.slice(1)}. Press the button again in a moment; the pet is never added twice.`
    : `${title}. ${advice}${requestId === undefined ? '' : ` Request id ${requestId}.`}`;
}
