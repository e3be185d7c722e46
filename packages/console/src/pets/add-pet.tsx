import { useRef, useState } from 'preact/hooks';
import {
  createIdempotencyKey,
  isInvalidPet,
  isPetstoreError,
  isUnauthorized,
  petStatuses,
  type NewPet,
  type Pet,
  type PetstoreClient,
} from '../../../client/src/index.ts';
import { toProblem } from '../connect.ts';
import { shortNameOf } from '../changes/words.ts';
import { Field } from '../field.tsx';
import { PetInputs } from '../pet-inputs.tsx';
import { Question } from '../question.tsx';
import { emptyDraft, labels, questionAbout, readDraft, type Draft, type DraftErrors } from '../draft.ts';
import { labelOf } from './find/filter.tsx';
import { findPets } from './find/find-pets.ts';
import type { PetQuery } from './find/query.ts';

export interface AddPetProps {
  client: PetstoreClient;
  /** What the list shows; it may hide the new pet. */
  shown: PetQuery;
  onAdded: (pet: Pet) => void;
  onRefused: () => void;
  onShowAll: () => void;
}

interface Outcome {
  added?: Pet | undefined;
  failure?: string;
  /** The service's message about a pet that it refused. */
  refusal?: string;
}

export function AddPet({ client, shown, onAdded, onRefused, onShowAll }: AddPetProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [errors, setErrors] = useState<DraftErrors>({});
  const [outcome, setOutcome] = useState<Outcome>({});
  const [question, setQuestion] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  // Two key presses can come before one drawing.
  const isBusy = useRef(false);
  const askedAbout = useRef<string>(undefined);
  // One key per draft: sending it again after a lost response adds no second pet.
  const idempotencyKey = useRef<string>(undefined);
  const form = useRef<HTMLFormElement>(null);

  const focus = (field: string) => form.current?.querySelector<HTMLElement>(`#pet-${field}`)?.focus();

  const change = (field: keyof Draft) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    idempotencyKey.current = undefined;
    setDraft((before) => ({ ...before, [field]: value }));
    setErrors((before) => ({ ...before, [field]: undefined }));
    setQuestion(undefined);
    setOutcome(({ added }) => ({ added }));
  };

  const save = async (pet: NewPet) => {
    idempotencyKey.current ??= createIdempotencyKey();
    isBusy.current = true;
    setIsSaving(true);
    setQuestion(undefined);
    try {
      const created = await client.createPet(pet, { idempotencyKey: idempotencyKey.current });
      idempotencyKey.current = undefined;
      setDraft(({ status }) => ({ ...emptyDraft, status }));
      setOutcome({ added: created });
      onAdded(created);
      focus('name');
    } catch (error) {
      if (isUnauthorized(error)) onRefused();
      else if (isPetstoreError(error, 'payload_too_large')) complain({ name: 'This name is too long.' });
      else if (isInvalidPet(error)) setOutcome({ refusal: error.message });
      else setOutcome({ failure: messageOf(error) });
    }
    isBusy.current = false;
    setIsSaving(false);
  };

  const complain = (found: DraftErrors) => {
    setErrors(found);
    focus(Object.keys(labels).find((field) => field in found) ?? '');
  };

  const submit = (event?: Event) => {
    event?.preventDefault();
    if (isBusy.current) return;
    // The Enter key was pressed once more after the pet was added.
    if (outcome.added && draft.name === '' && draft.categoryId === '') return;
    const { pet, errors: found } = readDraft(draft);
    const asked = questionAbout(pet.name);
    setErrors({});
    setOutcome({});
    if (Object.keys(found).length > 0) return complain(found);
    if (asked === undefined || askedAbout.current === pet.name) return void save(pet);
    askedAbout.current = pet.name;
    setQuestion(asked);
  };

  const { added, failure, refusal } = outcome;
  const isHidden = added && findPets([added], shown).pets.length === 0;
  return (
    <form ref={form} class="card" onSubmit={submit} noValidate>
      <h2 id="add-pet-title">Add a pet</h2>
      {refusal !== undefined && (
        <p class="notice" role="alert">
          {refusal}
        </p>
      )}
      <PetInputs form="pet" draft={draft} errors={errors} hasHelp onInput={change} />
      <Field id="pet-status" label={labels.status} help="Whether the pet is for sale." error={errors.status}>
        <select value={draft.status} onChange={change('status')}>
          {petStatuses.map((status) => (
            <option key={status} value={status}>
              {labelOf(status)}
            </option>
          ))}
          <option value="">No status</option>
        </select>
      </Field>
      {question !== undefined && (
        <Question
          text={question}
          no="Change it"
          yes="Add it"
          onNo={() => focus('name')}
          onYes={() => submit()}
        />
      )}
      <button type="submit" class="primary" aria-busy={isSaving}>
        {isSaving ? 'Adding…' : 'Add pet'}
      </button>
      <div class="outcome" role="status">
        {failure !== undefined && <p class="help error">{failure}</p>}
        {added && (
          <p class="help success">
            <bdi>{shortNameOf(added)}</bdi> was added with id {added.id.toString()}.
            {isHidden && (
              <>
                {' '}
                Your search or filter hides it.{' '}
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

function messageOf(error: unknown): string {
  const { title, advice, isTemporary, requestId } = toProblem(error);
  if (isTemporary)
    return `Not added yet. ${title}. Press “Add pet” again in a moment. The pet is never added twice.`;
  return `${title}. ${advice}${requestId === undefined ? '' : ` Request id ${requestId}.`}`;
}
