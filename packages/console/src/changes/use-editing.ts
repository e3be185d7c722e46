import { useRef, useState } from 'preact/hooks';
import { isPetstoreError, type Pet } from '../../../client/src/index.ts';
import { draftOf, questionAbout, readChanges, type Draft, type DraftErrors } from '../draft.ts';
import type { Notes } from './notes.ts';
import type { PetActions } from './pet-actions.ts';

/** One pet whose name and category are being edited. It outlives the row, which scrolls out of the document. */
export interface Editing {
  /** The pet as it was when the person began. */
  pet: Pet;
  draft: Draft;
  errors: DraftErrors;
  /** The service's message about values that it refused. */
  refusal?: string | undefined;
  question?: string | undefined;
  isSaving: boolean;
}

export interface EditingControls {
  editing: Editing | undefined;
  begin: (pet: Pet) => void;
  type: (field: keyof Draft, value: string) => void;
  /** Resolves to true when the form is no longer needed. */
  save: () => Promise<boolean>;
  cancel: () => void;
  /** Ends the form, but keeps what was typed in a note. */
  setAside: () => void;
}

export function useEditing(changes: PetActions, notes: Notes): EditingControls {
  const [editing, setEditing] = useState<Editing>();
  const askedAbout = useRef<string>(undefined);
  const update = (part: Partial<Editing>) => setEditing((before) => before && { ...before, ...part });

  const setAside = () => {
    if (!editing) return;
    const { pet, draft } = editing;
    const { fields, errors } = readChanges(pet, draft);
    setEditing(undefined);
    const isGood = Object.keys(errors).length === 0;
    if (!isGood || Object.keys(fields).length === 0) return;
    notes.add({
      petId: pet.id,
      words: ['Your changes to ', pet, ' are not saved.'],
      choices: [
        { label: 'Save them', act: () => void changes.change(pet, fields) },
        { label: 'Discard them', act() {} },
      ],
    });
  };

  const save = async () => {
    if (!editing || editing.isSaving) return false;
    const { pet, draft } = editing;
    const { fields, errors } = readChanges(pet, draft);
    const question = fields.name === undefined ? undefined : questionAbout(fields.name);
    const isAsked = askedAbout.current === draft.name;
    askedAbout.current = draft.name;
    if (Object.keys(errors).length > 0 || (question !== undefined && !isAsked)) {
      update({ errors, question, refusal: undefined });
      return false;
    }
    update({ isSaving: true, errors: {}, question: undefined, refusal: undefined });
    const refusal = Object.keys(fields).length === 0 ? undefined : await changes.save(pet, fields);
    if (!refusal) {
      setEditing(undefined);
      return true;
    }
    const isTooLong = isPetstoreError(refusal, 'payload_too_large');
    update({
      isSaving: false,
      ...(isTooLong ? { errors: { name: 'This name is too long.' } } : { refusal: refusal.message }),
    });
    return false;
  };

  return {
    editing,
    begin(pet) {
      if (editing?.pet.id === pet.id) return;
      setAside();
      askedAbout.current = undefined;
      setEditing({ pet, draft: draftOf(pet), errors: {}, isSaving: false });
    },
    type: (field, value) =>
      setEditing(
        (before) =>
          before && {
            ...before,
            draft: { ...before.draft, [field]: value },
            errors: { ...before.errors, [field]: undefined },
            refusal: undefined,
            question: undefined,
          },
      ),
    save,
    cancel: () => setEditing(undefined),
    setAside,
  };
}
