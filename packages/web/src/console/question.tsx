import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Question {
  title: string;
  /** What happens if the person agrees. */
  text?: string;
  /** The label of the button that agrees. */
  action: string;
  /** A text to change: its label and what it is now. */
  field?: { label: string; value: string };
}

/**
 * Asks a person. Resolves with the text of the field, or with an empty one if there is none; with undefined if the
 * person does not agree. The browser returns the focus.
 */
export function ask(question: Question): Promise<string | undefined> {
  return new Promise((resolve) => {
    const box = document.body.appendChild(document.createElement('div'));
    const end = (text: string | undefined) => {
      render(null, box);
      box.remove();
      resolve(text);
    };
    render(<QuestionDialog {...question} onEnd={end} />, box);
  });
}

function QuestionDialog({
  title,
  text,
  action,
  field,
  onEnd,
}: Question & { onEnd: (text?: string) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    input.current?.select();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="question-title"
      onClose={({ currentTarget }) =>
        onEnd(currentTarget.returnValue === 'agreed' ? (input.current?.value ?? '') : undefined)
      }
    >
      <form method="dialog" class="dialog-inner">
        <h2 id="question-title">{title}</h2>
        {text !== undefined && <p>{text}</p>}
        {field && (
          <div class="field">
            <label for="question-field">{field.label}</label>
            <input
              ref={input}
              id="question-field"
              type="text"
              autocomplete="off"
              maxLength={100}
              defaultValue={field.value}
            />
          </div>
        )}
        <div class="answers">
          {/* The first one is what Enter in the field means. */}
          <button class="primary" value="agreed">
            {action}
          </button>
          <button class="plain" value="">
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
