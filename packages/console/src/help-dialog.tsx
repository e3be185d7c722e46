import { useState } from 'preact/hooks';
import { changeShortcuts } from './changes/row-keys.ts';
import { Dialog } from './dialog.tsx';
import { areShortcutsOn, setShortcutsOn, shortcuts } from './shortcuts.ts';

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [areOn, setAreOn] = useState(areShortcutsOn);
  const toggle = () => {
    setShortcutsOn(!areOn);
    setAreOn(areShortcutsOn());
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {[...shortcuts, ...changeShortcuts].map(({ keys, label }) => (
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
      <label class="check">
        <input type="checkbox" checked={areOn} onChange={toggle} />
        <span>Use single-key shortcuts on this device</span>
      </label>
    </Dialog>
  );
}
