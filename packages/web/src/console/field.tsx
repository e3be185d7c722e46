import { cloneElement, type VNode } from 'preact';

export interface FieldProps {
  id: string;
  label: string;
  error: string | undefined;
  children: VNode;
}

/** A labelled control with what is wrong with it. */
export function Field({ id, label, error, children }: FieldProps) {
  const errorId = `${id}-error`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, 'aria-invalid': error !== undefined, 'aria-describedby': errorId })}
      <p id={errorId} class="help error" aria-live="polite">
        {error}
      </p>
    </div>
  );
}
