import type { Pet } from '../../../../client/src/index.ts';
import { Dialog } from '../../dialog.tsx';

/** A name that does not fit into its row. */
export function WholeName({ pet, onClose }: { pet: Pet; onClose: () => void }) {
  return (
    <Dialog title={`The name of pet ${pet.id}`} onClose={onClose}>
      <p class="whole-name" tabIndex={0}>
        <bdi>{pet.name}</bdi>
      </p>
    </Dialog>
  );
}
