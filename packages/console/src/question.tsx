import { useEffect, useId, useRef } from 'preact/hooks';

export interface QuestionProps {
  text: string;
  yes: string;
  no: string;
  onYes: () => void;
  onNo: () => void;
}

/** Asks before something odd is done. The focus is on “no”, so that a second Enter does nothing. */
export function Question({ text, yes, no, onYes, onNo }: QuestionProps) {
  const id = useId();
  const noButton = useRef<HTMLButtonElement>(null);
  useEffect(() => noButton.current?.focus(), []);
  return (
    <div class="notice question" role="group" aria-labelledby={id}>
      <p id={id}>{text}</p>
      <button type="button" class="plain" ref={noButton} aria-describedby={id} onClick={onNo}>
        {no}
      </button>
      <button type="button" class="plain" onClick={onYes}>
        {yes}
      </button>
    </div>
  );
}
