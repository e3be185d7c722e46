import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog over the page. Escape, the button and a click beside it close it; the browser returns the focus. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog-inner">
        <h2 id="dialog-title">{title}</h2>
        {children}
        <button type="button" class="plain" autofocus onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}
