import { Field } from './field.tsx';
import { inputs, labels, type Draft, type DraftErrors } from './draft.ts';

export interface PetInputsProps {
  /** Begins the ids of the inputs. */
  form: string;
  draft: Draft;
  errors: DraftErrors;
  isReadOnly?: boolean;
  hasHelp?: boolean;
  onInput: (field: keyof Draft) => (event: { currentTarget: { value: string } }) => void;
}

/** The inputs for what a person types of a pet. */
export function PetInputs({ form, draft, errors, isReadOnly, hasHelp, onInput }: PetInputsProps) {
  return inputs.map(({ field, help = '', inputMode }) => (
    <Field
      key={field}
      id={`${form}-${field}`}
      label={labels[field]}
      help={hasHelp ? help : ''}
      error={errors[field]}
    >
      <input
        inputMode={inputMode}
        autocomplete="off"
        readOnly={isReadOnly}
        value={draft[field]}
        onInput={onInput(field)}
      />
    </Field>
  ));
}
