export interface FieldProps {
  id: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  error: string | undefined;
  help: string;
  inputMode?: 'text' | 'numeric';
}

/** A field whose help gives way to what is wrong, in the same place, so that nothing jumps. */
export function Field({ id, label, value, onInput, error, help, inputMode = 'text' }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={inputMode}
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-help`}
      />
      <p id={`${id}-help`} class={error === undefined ? 'help' : 'help wrong'}>
        {error ?? help}
      </p>
    </div>
  );
}
