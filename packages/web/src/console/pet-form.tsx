import type { ComponentChildren } from 'preact';
import { useReducer, useRef, useState } from 'preact/hooks';
import { petStatuses } from '../../../client/src/index.ts';
import type { Categories } from './categories/categories.ts';
import { CategoryField } from './categories/category-field.tsx';
import { inputs, labelOf, labels, petFields, type Draft, type DraftErrors, type Typed } from './draft.ts';
import { Field } from './field.tsx';
import { keepTyped, readTyped } from './session.ts';

export interface PetFormProps {
  /** The pet whose draft it is; absent for a new one. */
  id?: bigint;
  label: string;
  /** What the fields show until somebody types. */
  start: Draft;
  categories: Categories;
  check: (typed: Typed) => DraftErrors;
  /** Takes the draft, and the form is free. */
  save: (typed: Typed) => void;
  children?: ComponentChildren;
}

/** The fields of a pet. A field stays up to date until somebody types; typed text survives until it is saved. */
export function PetForm({ id, label, start, categories, check, save, children }: PetFormProps) {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const [errors, setErrors] = useState<DraftErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const prefix = id === undefined ? 'pet' : 'edit';
  const focus = (field: string) => form.current?.querySelector<HTMLElement>(`#${prefix}-${field}`)?.focus();
  const kept = readTyped(id);
  // Somebody else may have saved the same values by now.
  const fields = id === undefined ? petFields : inputs;
  const typed = kept && fields.some((field) => kept.draft[field] !== start[field]) ? kept : undefined;
  const draft = typed?.draft ?? start;

  const keep = (next: Typed | undefined) => {
    keepTyped(id, next);
    redraw();
  };
  const change = (field: keyof Draft, value: string) => {
    const next = { base: start, ...typed, draft: { ...draft, [field]: value } };
    keep(petFields.some((one) => next.draft[one] !== start[one]) ? next : undefined);
    setErrors((before) => ({ ...before, [field]: undefined }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    // What is sent has the number: the name may be another one by the time it arrives.
    const categoryId = categories.names.numberOf(draft.categoryId)?.toString() ?? draft.categoryId;
    const sent = { base: start, ...typed, draft: { ...draft, categoryId } };
    const found = check(sent);
    setErrors(found);
    const wrong = petFields.find((field) => field in found);
    if (wrong) return focus(wrong);
    keep(undefined);
    save(sent);
    focus('name');
  };

  return (
    <form ref={form} class={`${prefix}-form`} aria-label={label} noValidate onSubmit={submit}>
      <Field id={`${prefix}-name`} label={labels.name} error={errors.name}>
        <input
          type="text"
          autocomplete="off"
          value={draft.name}
          onInput={({ currentTarget: { value } }) => change('name', value)}
        />
      </Field>
      <CategoryField
        id={`${prefix}-categoryId`}
        label={labels.categoryId}
        text={draft.categoryId}
        error={errors.categoryId}
        categories={categories}
        onChange={(text) => change('categoryId', text)}
      />
      {id === undefined && (
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
      <button type="submit" class="primary">
        {id === undefined ? 'Add pet' : 'Save'}
      </button>
      {children}
    </form>
  );
}
