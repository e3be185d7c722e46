import { useEffect, useRef } from 'preact/hooks';
import { searchForms } from './pets/find/query.ts';
import { areShortcutsOn, setShortcutsOn, shortcuts } from './shortcuts.ts';

/**
 * The keyboard shortcuts, and what the search understands. Escape, the button and a click outside close it; the browser
 * returns the focus.
 */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The button that has the focus is at the end.
    dialog.current?.scrollTo(0, 0);
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <form method="dialog" class="dialog-inner">
        <h2 id="dialog-title">Keyboard shortcuts</h2>
        <Keys entries={shortcuts.map(({ keys, label }) => [keys, label])} />
        <h2>The search understands</h2>
        <Keys entries={searchForms.map(([form, meaning]) => [[form], meaning])} />
        <label class="check">
          <input
            type="checkbox"
            defaultChecked={areShortcutsOn()}
            onChange={({ currentTarget }) => setShortcutsOn(currentTarget.checked)}
          />
          <span>Use single-key shortcuts on this device</span>
        </label>
        <button class="plain" autofocus>
          Close
        </button>
      </form>
    </dialog>
  );
}

function Keys({ entries }: { entries: [keys: string[], label: string][] }) {
  return (
    <dl class="shortcuts">
      {entries.map(([keys, label]) => (
        <div key={label}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
  );
}
