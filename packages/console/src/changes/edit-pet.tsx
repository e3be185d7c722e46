import { useEffect, useRef } from 'preact/hooks';
import { PetInputs } from '../pet-inputs.tsx';
import type { Draft } from '../draft.ts';
import { Question } from '../question.tsx';
import type { EditingControls, Editing } from './use-editing.ts';
import { shortNameOf } from './words.ts';

export interface EditPetProps extends Omit<EditingControls, 'editing' | 'begin' | 'setAside'> {
  editing: Editing;
}

/** Edits a pet in its row. Enter saves, Escape cancels; afterwards the row has the focus. */
export function EditPet({ editing, type, save, cancel }: EditPetProps) {
  const { pet, draft, errors, question, refusal, isSaving } = editing;
  const form = useRef<HTMLFormElement>(null);
  const focus = (field: string) => form.current?.querySelector<HTMLInputElement>(`#edit-${field}`)?.focus();
  const wrongField = Object.entries(errors).find(([, error]) => error !== undefined)?.[0];

  useEffect(() => form.current?.querySelector('input')?.select(), []);
  useEffect(() => {
    if (wrongField !== undefined) focus(wrongField);
    // The form is higher than the row was, and grows with what it has to say.
    form.current?.closest('.row')?.scrollIntoView({ block: 'nearest' });
  }, [wrongField, errors, question, refusal]);

  /** The row stays when the form goes. */
  const leave = (row: Element | null | undefined) => row instanceof HTMLElement && row.focus();
  const submit = async (event?: Event) => {
    event?.preventDefault();
    const row = form.current?.closest('[data-id]');
    const hadFocus = row?.contains(document.activeElement);
    if ((await save()) && hadFocus) leave(row);
  };
  const onCancel = () => {
    leave(form.current?.closest('[data-id]'));
    cancel();
  };
  const onInput = (field: keyof Draft) => (event: { currentTarget: { value: string } }) =>
    type(field, event.currentTarget.value);

  return (
    <span class="edit-cell" role="gridcell">
      <form
        ref={form}
        class="edit-pet"
        aria-label={`Edit ${shortNameOf(pet)}`}
        noValidate
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      >
        {refusal !== undefined && (
          <p class="notice" role="alert">
            {refusal}
          </p>
        )}
        <PetInputs form="edit" draft={draft} errors={errors} isReadOnly={isSaving} onInput={onInput} />
        {question !== undefined && (
          <Question
            text={question}
            no="Change it"
            yes="Save it"
            onNo={() => focus('name')}
            onYes={() => void submit()}
          />
        )}
        <div class="edit-buttons">
          <button type="submit" class="primary small" aria-busy={isSaving}>
            {isSaving ? 'Saving…' : 'Save'}
          </button>
          <button type="button" class="plain small" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </span>
  );
}
