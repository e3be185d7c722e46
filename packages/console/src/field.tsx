import { cloneElement, type VNode } from 'preact';

export interface FieldProps {
  id: string;
  label: string;
  help?: string;
  error: string | undefined;
  children: VNode;
}

/** A labelled control. An error replaces the help in the same place, so that the layout does not shift. */
export function Field({ id, label, help, error, children }: FieldProps) {
  const helpId = `${id}-help`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, 'aria-invalid': error !== undefined, 'aria-describedby': helpId })}
      <p id={helpId} class={error === undefined ? 'help' : 'help error'} aria-live="polite">
        {error ?? help}
      </p>
    </div>
  );
}
