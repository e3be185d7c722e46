import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isInvalidPet, isPetstoreError, petStatuses } from '../../../client/src/index.ts';
import type { Categories } from './categories/categories.ts';
import { CategoryField } from './categories/category-field.tsx';
import { tellProblem } from './connect.ts';
import { inputs, labelOf, labels, petFields, type Draft, type DraftErrors } from './draft.ts';
import { Field } from './field.tsx';
import { keepUnsaved, readUnsaved, type Typed } from './session.ts';

export interface PetFormProps {
  prefix: 'pet' | 'edit';
  /** The draft is kept under this name. */
  name: string;
  label: string;
  /** What the fields show until somebody types. */
  start: Draft;
  categories: Categories;
  action: 'Add pet' | 'Save';
  check: (typed: Typed) => DraftErrors;
  /** Resolves with the error, or with undefined once all is saved. Without a promise, the form is free at once. */
  save: (typed: Typed) => Promise<unknown> | undefined;
  children?: ComponentChildren;
}

/** The fields of a pet. A field stays up to date until somebody types; typed text survives until it is saved. */
export function PetForm({ prefix, name, label, start, categories, action, ...props }: PetFormProps) {
  const { check, save, children } = props;
  const [kept, setTyped] = useState(() => {
    const before = readUnsaved(name) as Typed | undefined;
    return before?.isLeft ? undefined : before;
  });
  // Somebody else may have saved the same values by now.
  const fields = prefix === 'pet' ? petFields : inputs;
  const typed = kept && fields.some((field) => kept.draft[field] !== start[field]) ? kept : undefined;
  const [errors, setErrors] = useState<DraftErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  // Two key presses can arrive before the form is drawn again.
  const isBusy = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const focus = (field: string) => form.current?.querySelector<HTMLElement>(`#${prefix}-${field}`)?.focus();
  const draft = typed?.draft ?? start;

  const keep = (next: Typed | undefined) => {
    setTyped(next);
    keepUnsaved(name, next);
    setRefusal(undefined);
  };
  const change = (field: keyof Draft, value: string) => {
    const next = { base: typed?.base ?? start, draft: { ...draft, [field]: value } };
    keep(petFields.some((one) => next.draft[one] !== start[one]) ? next : undefined);
    setErrors((before) => ({ ...before, [field]: undefined }));
  };
  const complain = (found: DraftErrors) => {
    setErrors(found);
    focus(Object.keys(labels).find((field) => field in found) ?? '');
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    // What is sent has the number: the name may be another one by the time it arrives.
    const categoryId = categories.names.numberOf(draft.categoryId)?.toString() ?? draft.categoryId;
    const sent = { base: start, ...typed, draft: { ...draft, categoryId } };
    const found = check(sent);
    setRefusal(undefined);
    if (Object.keys(found).length > 0) return complain(found);
    setErrors({});
    const saving = save(sent);
    if (!saving) {
      keep(undefined);
      return focus('name');
    }
    isBusy.current = true;
    setIsSaving(true);
    const error = await saving;
    isBusy.current = false;
    setIsSaving(false);
    if (error === undefined) keep(undefined);
    else if (isPetstoreError(error, 'payload_too_large')) complain({ name: tellProblem(error) });
    else setRefusal(isInvalidPet(error) ? error.message : undefined);
  };

  return (
    <form
      ref={form}
      class={`${prefix}-form`}
      aria-label={label}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      <Field id={`${prefix}-name`} label={labels.name} error={errors.name}>
        <input
          type="text"
          autocomplete="off"
          readOnly={isSaving}
          value={draft.name}
          onInput={({ currentTarget: { value } }) => change('name', value)}
        />
      </Field>
      <CategoryField
        id={`${prefix}-categoryId`}
        label={labels.categoryId}
        text={draft.categoryId}
        error={errors.categoryId}
        isReadOnly={isSaving}
        categories={categories}
        onChange={(text) => change('categoryId', text)}
      />
      {prefix === 'pet' && (
        <Field id="pet-status" label={labels.status} error={errors.status}>
          <select value={draft.status} onChange={({ currentTarget: { value } }) => change('status', value)}>
            {[...petStatuses, undefined].map((status) => (
              <option key={status} value={status ?? ''}>
                {labelOf(status)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <button type="submit" class="primary" aria-busy={isSaving}>
        {isSaving ? 'Saving…' : action}
      </button>
      {refusal !== undefined && (
        <p class="notice" role="alert">
          {refusal}
        </p>
      )}
      {children}
    </form>
  );
}
